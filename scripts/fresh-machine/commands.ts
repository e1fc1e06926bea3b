// Runs commands on a machine: to their end, or until they respond.

import type { ChildProcess } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { runOn, type Machine } from './machine.ts'

export const patienceMs = 300_000

/** Where something is tried. */
export interface Place {
  readonly cwd: string
  readonly home: string
}

/** A folder with blanks in its name, and an empty home. */
export function openPlace({ directory, user }: Machine, name: string): Place {
  const parent = mkdtempSync(join(directory, 'place '))
  const [cwd, home] = [join(parent, name), join(parent, 'home')]
  for (const folder of [cwd, home]) mkdirSync(folder, { recursive: true })
  for (const folder of [parent, cwd, home]) chownSync(folder, user.uid, user.gid)
  return { cwd, home }
}

/** Starts what says its address, and stops it after its first response. */
export async function firstResponse(
  machine: Machine,
  command: readonly [string, ...string[]],
  place: Place,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly ms: number; readonly output: string }> {
  const startedAt = performance.now()
  const child = runOn(machine, command, { ...place, env: { PORT: '0', ...env } })
  const output = outputOf(child)
  const address = (): string | undefined => /http:\/\/127\.0\.0\.1:\d+/.exec(output.text)?.[0]
  try {
    await until(() => address() !== undefined, child)
    const response = await fetch(`${address()}/`)
    const ms = Math.round(performance.now() - startedAt)
    if (response.status !== 200) throw new Error(`The first response has status ${response.status}.`)
    return { ms, output: output.text }
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${output.text}`, { cause: error })
  } finally {
    await kill(child, 'SIGTERM')
  }
}

/** Collects what a command says. */
export function outputOf(child: ChildProcess): { text: string } {
  const output = { text: '' }
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output.text += text))
  return output
}

/** Waits for the end of a command; kills it after a while. */
export async function end(
  child: ChildProcess,
  timeoutMs: number,
): Promise<{ readonly status: number | null; readonly output: string }> {
  const output = outputOf(child)
  const timer = setTimeout(() => void kill(child, 'SIGKILL'), timeoutMs)
  const status = await new Promise<number | null>((resolve) => void child.once('close', resolve))
  clearTimeout(timer)
  return { status, output: output.text }
}

/** Rejects where the command ends before, or nothing comes for five minutes. */
export async function until(isSo: () => boolean | Promise<boolean>, child: ChildProcess): Promise<void> {
  for (const deadline = Date.now() + patienceMs; !(await isSo());) {
    if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}.`)
    if (Date.now() > deadline) throw new Error(`Nothing came in ${patienceMs} ms.`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Ends the whole group: npm does not pass signals on to everything that it started. */
export async function kill(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const closed = new Promise((resolve) => void child.once('close', resolve))
  process.kill(-child.pid, signal)
  await closed
}
