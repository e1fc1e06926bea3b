// Data of the collector `command`: name, arguments, exit code of what was run from the command line.

import type { Redactor } from '../../framework/redact/redactor.ts'

export interface CommandData {
  readonly name: string
  /** In their order, masked. */
  readonly args: readonly string[]
  /** 0 for success; `null` while it runs, and for a program that a signal ended or that could not be started. */
  readonly exitCode: number | null
  /** There for a program outside the application. */
  readonly program?: ProgramData
}

/** What is known of a program that was started and watched from outside. */
export interface ProgramData {
  /** The signal that ended it. */
  readonly signal: string | null
  /** Why it could not be started: `ENOENT`. */
  readonly startFailure: string | null
  /** Whether it told what it did inside: a Node program of version 22.18 or later. */
  readonly isRecordedInside: boolean
  /** Milliseconds before its end of which it told nothing: a signal or a crash ended it. Default 0. */
  readonly unrecordedMs?: number
  /** What it used; of a program that was not recorded inside: not known. */
  readonly usage: ProgramUsage | null
  /** What it wrote, masked; `null` if nobody asked for it to be kept. */
  readonly output: { readonly stdout: KeptOutput; readonly stderr: KeptOutput } | null
}

/** What a process used. */
export interface ProgramUsage {
  /** Time of all of its threads on processors, in milliseconds. */
  readonly cpuMs: number
  readonly peakMemoryBytes: number
}

/** Beginning and end of a text that may have been too long to keep. */
export interface KeptOutput {
  readonly head: string
  /** Bytes between the two that were not kept. */
  readonly leftOutBytes: number
  readonly tail: string
}

/** The arguments with secrets masked: values of options with a telling name, and what looks like a secret. */
export function maskArgs(args: readonly string[], redactor: Redactor): readonly string[] {
  return args.map((arg, index) => {
    const own = /^--?([^=]+)=(.*)$/s.exec(arg)
    if (own !== null)
      return `${arg.slice(0, arg.length - (own[2] ?? '').length)}${maskValue(own[1] ?? '', own[2] ?? '', redactor)}`
    const before = /^--?([^=]+)$/.exec(args[index - 1] ?? '')
    return before === null || arg.startsWith('-') ? redactor.text(arg) : maskValue(before[1] ?? '', arg, redactor)
  })
}

function maskValue(option: string, value: string, redactor: Redactor): string {
  const masked = redactor.record({ [option]: value })[option]
  return typeof masked === 'string' ? masked : JSON.stringify(masked)
}
