// Starts a program as a shell would, forwards signals, and says how it ended.

import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { constants } from 'node:os'
import { CliError, exitCodes, ProgramEnd } from '../command.ts'

export interface ProgramStart {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

export interface ProgramOutcome {
  readonly processId: number | undefined
  /** `null` if a signal ended it, or it could not be started. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  /** Why it could not be started: `ENOENT`. */
  readonly startFailure: string | null
}

export interface StartedProgram {
  readonly child: ChildProcess
  /** Never rejects. */
  readonly ended: Promise<ProgramOutcome>
}

/** Starts it. Never throws: a program that cannot be started has ended. */
export function startProgram({ file, args, cwd, env }: ProgramStart): StartedProgram {
  const child = spawn(file, [...args], { cwd, env, stdio: 'inherit' })
  const stopHandingOn = handOnSignals(child)
  const { promise, resolve } = Promise.withResolvers<ProgramOutcome>()
  child.on('error', (error: NodeJS.ErrnoException) => {
    // Later ones are about signals that could not be sent.
    if (child.pid !== undefined) return
    resolve({ processId: undefined, exitCode: null, signal: null, startFailure: error.code ?? error.message })
  })
  child.on('close', (exitCode, signal) => resolve({ processId: child.pid, exitCode, signal, startFailure: null }))
  return { child, ended: promise.finally(stopHandingOn) }
}

/**
 * Ends the command as the program ended: throws a `ProgramEnd` with its exit code where that is not 0, and a CliError where it could not be
 * started.
 */
export function endAs(file: string, outcome: ProgramOutcome): void {
  const { startFailure } = outcome
  if (startFailure !== null) {
    const isMissing = startFailure === 'ENOENT'
    const reason = isMissing ? 'there is no such program' : startFailure
    const advice = /\.[cm]?[jt]sx?$/.test(file) ? `; put node before it` : ''
    throw new CliError(
      `${JSON.stringify(file.slice(0, 200))} cannot be started: ${reason}${advice}`,
      isMissing ? exitCodes.notFound : exitCodes.failed,
    )
  }
  const exitCode = shellExitCode(outcome)
  if (exitCode !== 0) throw new ProgramEnd(exitCode)
}

/** The exit code that a shell reports for a program: its own, or 128 plus the number of the signal. */
function shellExitCode({ exitCode, signal }: ProgramOutcome): number {
  return exitCode ?? (signal === null ? 1 : 128 + constants.signals[signal])
}

/** A terminal sends some signals to every process of the group itself; a program that got one twice would be cut off. */
function handOnSignals(child: ChildProcess): () => void {
  const isOfTerminal = hasTerminal()
  const handOn = (signal: NodeJS.Signals): void => {
    if (!isOfTerminal || !terminalSignals.has(signal)) child.kill(signal)
  }
  const signals = [...terminalSignals, 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, handOn)
  return () => {
    for (const signal of signals) process.off(signal, handOn)
  }
}

/** Those of Ctrl-C and Ctrl-\\. */
const terminalSignals: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT'])

/** Whether there is a terminal that keys are typed at, wherever input and output lead. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return process.stdin.isTTY
  }
}
