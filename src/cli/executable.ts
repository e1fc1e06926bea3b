// What the executable does with the process: its streams, its signals and its end.

import { Cli } from './cli.ts'
import { runCli } from './run-cli.ts'
import { Terminal } from './terminal.ts'

/** Runs the command that the process was started with. */
export async function runExecutable(): Promise<void> {
  const terminal = new Terminal({ stdout: process.stdout, stderr: process.stderr, env: process.env })
  const stop = new AbortController()
  // A reader that goes away (`fanlight profiles list | head -1`) is not a failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    stop.abort()
  })
  /** The first signal ends the command in its own way, the second one the process. */
  const stopSignal = (): AbortSignal => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
    return stop.signal
  }
  let mayHang = false
  const leavesNothingRunning = (): void => {
    mayHang = true
  }
  const cli = new Cli({ terminal, cwd: process.cwd(), env: process.env, stopSignal, leavesNothingRunning })
  process.exitCode = await runCli(process.argv.slice(2), cli)
  // Runs only where something else keeps the process alive.
  if (mayHang) setTimeout(exit, 100).unref()
}

/** Ends the process when all that was written has left: a pipe takes only so much until its reader has read. */
function exit(): void {
  process.stdout.write('', () => process.stderr.write('', () => process.exit()))
}
