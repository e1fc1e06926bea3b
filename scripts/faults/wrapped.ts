// The shop under another command: as another user, with fewer file descriptors, with delayed system calls. `WRAPPER` is the
// command as a JSON list; Node and the file go behind it. Signals are passed on.

import { spawn } from 'node:child_process'

const wrapper = JSON.parse(process.env['WRAPPER'] ?? '[]') as readonly string[]
const [command, ...args] = [...wrapper, process.execPath, process.env['WRAPPED'] ?? 'app/main.ts']
const child = spawn(command, args, { stdio: 'inherit' })
child.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)))
child.on('error', (error) => {
  console.error(error.message)
  process.exit(1)
})
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => passOn(signal))

// Under strace the child of our child is meant: strace itself keeps the signal for later.
function passOn(signal: NodeJS.Signals): void {
  const innermost = innermostChild(child.pid ?? 0)
  process.kill(innermost, signal)
}

function innermostChild(pid: number): number {
  try {
    const text = readChildren(pid)
    const first = Number(text.split(' ')[0])
    return first > 0 ? innermostChild(first) : pid
  } catch {
    return pid
  }
}

function readChildren(pid: number): string {
  return process.getBuiltinModule('node:fs').readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1')
}
