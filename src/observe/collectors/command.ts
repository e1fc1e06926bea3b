// What was run from the command line: its name, its arguments, how it ended, and of a program what is known from outside.

import { constants } from 'node:os'
import { formatBytes, formatCount, formatDuration } from '../../base/html/components.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import { quotePosix } from '../../base/markdown-text.ts'
import { type Blocks, type Line, facts, note } from '../blocks/blocks.ts'
import type { DescribedPart } from '../blocks/described-part.ts'
import type { Redactor } from '../../base/redact/redactor.ts'
import type { KeptName } from '../../http/recording/recording.ts'

export const commandName: KeptName<CommandData> = 'command'

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
}

/** What a process used. */
export interface ProgramUsage {
  /** Time of all of its threads on processors, in milliseconds. */
  readonly cpuMs: number
  readonly peakMemoryBytes: number
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

export const commandPart: DescribedPart<CommandData> = {
  name: 'command',
  title: 'Command',
  of: 'commands',
  empty: 'This is the profile of a request, not of a command.',
  badge: ({ exitCode }) =>
    exitCode === null || exitCode === 0 ? undefined : { count: exitCode, tone: 'error', hint: `exit code ${exitCode}` },
  draw: (data) => [
    facts('Command', [
      ['Command', { code: data.name }],
      ['Arguments', data.args.length === 0 ? 'none' : { code: cutText(words(data).join(' '), 10_000) }],
      data.program === undefined
        ? ['Exit code', data.exitCode === null ? 'still running' : formatCount(data.exitCode)]
        : ['Ended', ending(data.program, data.exitCode)],
      ...usageRows(data.program),
    ]),
    ...(data.program === undefined ? [] : programBlocks(data.program)),
  ],
}

/** Those of a program are quoted where a shell would otherwise take one for more than one word, or for more than text. */
function words({ args, program }: CommandData): readonly string[] {
  return program === undefined ? args : args.map((arg) => (/^[\w@%+=:,./*-]+$/.test(arg) ? arg : quotePosix(arg)))
}

function ending({ signal, startFailure }: ProgramData, exitCode: number | null): Line {
  if (startFailure !== null) return { mark: `could not be started: ${startFailure}`, tone: 'error' }
  if (signal !== null) return { mark: `by the signal ${signal}${signalExit(signal)}`, tone: 'error' }
  return exitCode === null
    ? 'not known'
    : { mark: `with exit code ${exitCode}`, tone: exitCode === 0 ? 'success' : 'error' }
}

/** The exit code that a shell gives for it. */
function signalExit(signal: string): string {
  const number = new Map<string, number>(Object.entries(constants.signals)).get(signal)
  return number === undefined ? '' : `: exit code ${128 + number}`
}

function usageRows(program: ProgramData | undefined): readonly (readonly [string, string])[] {
  if (program?.usage === null || program?.usage === undefined) return []
  const { cpuMs, peakMemoryBytes } = program.usage
  return [
    ['CPU time', formatDuration(cpuMs)],
    ['Peak memory', formatBytes(peakMemoryBytes)],
  ]
}

function programBlocks({ isRecordedInside, unrecordedMs = 0 }: ProgramData): Blocks {
  return [
    note(
      isRecordedInside
        ? 'It ran on Node and was recorded from inside: the other panels show its outgoing requests, queries, warnings and exceptions.'
        : 'It was not recorded from inside; that needs a program that runs on Node 22.18 or later.',
      'neutral',
    ),
    note(
      unrecordedMs !== 0 && `It was killed or crashed, so its last ${formatDuration(unrecordedMs)} is not recorded.`,
    ),
  ]
}
