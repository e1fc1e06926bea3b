// Starts a program as a shell would, forwards signals, and says how it ended.

import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { constants } from 'node:os'
import { stripVTControlCharacters } from 'node:util'
import type { KeptOutput } from '../../profiler/collectors/command.ts'
import type { Redactor } from '../../framework/redact/redactor.ts'
import { CliError, exitCodes, ProgramEnd } from '../command.ts'

export interface ProgramStart {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Keeps a bounded part of what it writes; its output is then a pipe and no terminal. */
  readonly keepsOutput: boolean
}

export interface ProgramOutcome {
  readonly processId: number | undefined
  /** `null` if a signal ended it, or it could not be started. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  /** Why it could not be started: `ENOENT`. */
  readonly startFailure: string | null
  readonly output: { readonly stdout: OutputKeeper; readonly stderr: OutputKeeper } | null
}

export interface StartedProgram {
  readonly child: ChildProcess
  /** Never rejects. */
  readonly ended: Promise<ProgramOutcome>
}

/** Starts it. Never throws: a program that cannot be started has ended. */
export function startProgram({ file, args, cwd, env, keepsOutput }: ProgramStart): StartedProgram {
  const output = keepsOutput ? { stdout: new OutputKeeper(), stderr: new OutputKeeper() } : null
  const stdio = keepsOutput ? ('pipe' as const) : ('inherit' as const)
  const child = spawn(file, [...args], {
    cwd,
    env,
    stdio: ['inherit', stdio, stdio],
  })
  const stopHandingOn = handOnSignals(child)
  if (output !== null) {
    copy(child.stdout, process.stdout, output.stdout)
    copy(child.stderr, process.stderr, output.stderr)
  }
  const { promise, resolve } = Promise.withResolvers<ProgramOutcome>()
  child.on('error', (error: NodeJS.ErrnoException) => {
    // Later ones are about signals that could not be sent.
    if (child.pid !== undefined) return
    resolve({ processId: undefined, exitCode: null, signal: null, startFailure: error.code ?? error.message, output })
  })
  child.on('close', (exitCode, signal) =>
    resolve({ processId: child.pid, exitCode, signal, startFailure: null, output }),
  )
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

function copy(from: NodeJS.ReadableStream | null, to: NodeJS.WriteStream, keeper: OutputKeeper): void {
  from?.on('data', (chunk: Buffer) => {
    keeper.add(chunk)
    // As slow as its reader: a program that writes faster waits, as it would without us.
    if (!to.write(chunk)) {
      from.pause()
      to.once('drain', () => from.resume())
    }
  })
}

/** Bytes that are kept of the beginning. */
const headBytes = 16 * 1024
/** Bytes that are kept of the end, where errors are. */
const tailBytes = 32 * 1024

class OutputKeeper {
  #head: Buffer = Buffer.alloc(0)
  /** The newest bytes: between one and two times `tailBytes` of them, so that few chunks have to be copied. */
  #tail: Buffer = Buffer.alloc(0)
  #tailChunks: Buffer[] = []
  #tailSize = 0
  #bytes = 0

  add(chunk: Buffer): void {
    this.#bytes += chunk.length
    const free = headBytes - this.#head.length
    if (free > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, free)])
    const rest = chunk.subarray(Math.max(0, free))
    if (rest.length === 0) return
    this.#tailChunks.push(rest)
    this.#tailSize += rest.length
    if (this.#tailSize > 2 * tailBytes) this.#joinTail()
  }

  /** What was kept, with secrets masked. Characters that were cut in two at the gap are left out. */
  kept(redactor: Redactor): KeptOutput {
    this.#joinTail()
    const leftOutBytes = this.#bytes - this.#head.length - this.#tail.length
    if (leftOutBytes === 0) {
      return { head: maskLines(String(Buffer.concat([this.#head, this.#tail])), redactor), leftOutBytes, tail: '' }
    }
    const head = String(this.#head).replace(/\ufffd+$/, '')
    const tail = String(this.#tail).replace(/^\ufffd+/, '')
    return { head: maskLines(head, redactor), leftOutBytes, tail: maskLines(tail, redactor) }
  }

  #joinTail(): void {
    this.#tail = Buffer.concat([this.#tail, ...this.#tailChunks])
    if (this.#tail.length > tailBytes) this.#tail = Buffer.from(this.#tail.subarray(-tailBytes))
    this.#tailChunks = []
    this.#tailSize = 0
  }
}

/** Without colours and other terminal sequences. Line by line, because a secret that is recognized by its form is within one. */
function maskLines(text: string, redactor: Redactor): string {
  return stripVTControlCharacters(text)
    .split('\n')
    .map((line) => redactor.text(line, headBytes + tailBytes))
    .join('\n')
}
