// `fanlight dev app/main.ts`: runs a program and starts it again whenever one of its files changes.

import { extname, join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { envFileNames } from '../../framework/config/env-files.ts'
import { ownVariables } from '../../framework/config/observed-context.ts'
import { waitAtMost } from '../../framework/kernel/within-budget.ts'
import type { Cli } from '../cli.ts'
import {
  endAs,
  startProgram,
  type ProgramOutcome,
  type ProgramStart,
  type StartedProgram,
} from '../program/start-program.ts'
import { FileWatch } from './file-watch.ts'
import { filesDescriptor } from './files-descriptor.ts'

/** How long a program may take to end before it is killed, in milliseconds. */
const patienceMs = 5000

/** Sources run unbuilt as `.ts`, the package as `.js`. */
const preload = new URL(`./loaded-files${extname(import.meta.filename)}`, import.meta.url).href

/**
 * Runs it until the command is to end, and then ends as the program did: throws a `ProgramEnd` with its exit code. `env` is what the
 * program gets.
 */
export async function watchProgram(
  cli: Cli,
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const stop = cli.stopSignal()
  const stopped = new Promise<null>((settle) => stop.addEventListener('abort', () => settle(null), { once: true }))
  const say = (line: string): void => cli.terminal.error(line)
  say(`${file} starts again when one of its files changes`)
  for (let starts = 1; ; starts += 1) {
    const watch = new FileWatch((problem) => say(`some files are not watched: ${problem}`))
    for (const name of envFileNames(env['APP_ENV'] ?? 'dev')) watch.add(join(cli.cwd, name))
    watch.add(resolve(cli.cwd, file))
    const program = startWatched(
      { args: [file, ...args], cwd: cli.cwd, env: { ...env, [ownVariables.restarts]: String(starts) } },
      watch,
    )
    let outcome = await Promise.race([program.ended, watch.changed.then(() => null)])
    if (outcome === null) outcome = await endProgram(program)
    else if (!stop.aborted) say(`${file} ${endOf(outcome)}; it starts again when a file changes`)
    const changed = stop.aborted ? null : await Promise.race([watch.changed, stopped])
    watch.close()
    if (changed === null) return endAs(file, outcome)
    say(`${relative(cli.cwd, changed)} changed`)
  }
}

/** Starts it with Node. The files that it loads are watched. */
function startWatched(program: Omit<ProgramStart, 'file' | 'keepsOutput'>, watch: FileWatch): StartedProgram {
  const args = ['--import', preload, ...program.args]
  const started = startProgram({ ...program, file: process.execPath, args, keepsOutput: false, hasPipe: true })
  const paths = started.child.stdio[filesDescriptor] as Readable
  createInterface({ input: paths }).on('line', (path) => watch.add(path))
  return started
}

/** By a signal that lets it finish what it does, as far as it has the time. */
async function endProgram({ child, ended }: StartedProgram): Promise<ProgramOutcome> {
  child.kill('SIGTERM')
  await waitAtMost(ended, patienceMs)
  child.kill('SIGKILL')
  return ended
}

function endOf({ exitCode, signal }: ProgramOutcome): string {
  if (signal !== null) return `was ended by ${signal}`
  return exitCode === 0 ? 'has ended' : `ended with exit code ${exitCode}`
}
