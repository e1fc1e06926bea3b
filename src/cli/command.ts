// How a command ends, for scripts, and how it reads its words. It loads little: chunks of the package are shared with what starts programs.

import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { nameError } from '../base/http/http-error.ts'
import type { Terminal } from './terminal.ts'
import { membersOf } from '../base/members.ts'

export const exitCodes = {
  ok: 0,
  /** The command was understood and could not be done. */
  failed: 1,
  usage: 2,
  notFound: 3,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Ends a command with an exit code, and with one line on standard error or a report of several. */
export class CliError extends Error {
  declare readonly code: 'ERR_CLI'
  readonly exitCode: ExitCode
  /** Lines that are written in place of the message, safe for a terminal. */
  readonly report: string | undefined

  constructor(message: string, exitCode: ExitCode = exitCodes.failed, options?: ErrorOptions & { report?: string }) {
    super(message, options)
    this.exitCode = exitCode
    this.report = options?.report
  }
}
nameError(CliError, 'ERR_CLI')

/** Ends a command with the exit code of a program that it ran, and prints nothing: the program has said why. */
export class ProgramEnd extends Error {
  readonly exitCode: number

  constructor(exitCode: number) {
    super(`the program ended with ${exitCode}`)
    this.exitCode = exitCode
  }
}

export function withJson(command: Command): Command {
  return command.option('--json', 'print one JSON document')
}

/** File that exports the front controller where none is named. */
export const defaultModule = 'app/main.ts'

export function withModule(command: Command): Command {
  return command.option('--module <file>', 'file that exports the front controller', defaultModule)
}

/** The usage error of an argument or option: names it, the value, and what is allowed. */
export function usageError(name: string, value: string, allowed: string): CliError {
  return new CliError(`${name}: ${JSON.stringify(value)} is not valid. Use ${allowed}.`, exitCodes.usage)
}

/** One of several names. Throws a usage error. */
export function oneOf<Name extends string>(option: string, value: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === value)
  if (found !== undefined) return found
  throw usageError(option, value, names.join(', '))
}

/** Reads a whole number from `least` to `most`. Throws a usage error. */
export function wholeNumber(name: string, value: string, least: number, most: number): number {
  const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN
  if (Number.isSafeInteger(number) && number >= least && number <= most) return number
  throw usageError(name, value, `a whole number from ${least} to ${most}`)
}

interface NewFile {
  /** From the working directory. */
  readonly file: string
  readonly content: string | Uint8Array
  /** Whether an existing file may be replaced. */
  readonly mayReplace: boolean
  /** Default: what new files have; `0o600` for what others are not to read. */
  readonly mode?: number
}

/** Writes what a command makes to a file that the user names, and says so. Throws a CliError. */
export function writeNew(
  { cwd, terminal }: { readonly cwd: string; readonly terminal: Terminal },
  { file, content, mayReplace, mode }: NewFile,
): void {
  const flag = mayReplace ? 'w' : 'wx'
  try {
    writeFileSync(resolve(cwd, file), content, { flag, ...(mode !== undefined && { mode }) })
  } catch (cause) {
    const { code = 'unknown' } = membersOf(cause)
    const reason = code === 'EEXIST' ? 'already exists; --force overwrites it' : `cannot be written (${String(code)})`
    throw new CliError(`${file} ${reason}`, undefined, { cause })
  }
  terminal.lines([`${file} written.`])
}

const secondsOf: ReadonlyMap<string, number> = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
])

/** Reads how long something lasts, `90s`, `15m`, `2h` or `1d`, in whole seconds. Throws a usage error, also for more than `mostSeconds` or less than `leastSeconds` (default 0). */
export function readDuration(option: string, text: string, mostSeconds: number, leastSeconds = 0): number {
  const seconds = durationOf(text)
  if (seconds !== undefined && seconds >= leastSeconds && seconds <= mostSeconds) return seconds
  const least = leastSeconds === 0 ? '' : `from ${durationText(leastSeconds)} `
  throw usageError(option, text, `a time such as 90s, 15m, 2h or 1d, ${least}to ${durationText(mostSeconds)}`)
}

/** In seconds; `undefined` for any other text. */
export function durationOf(text: string): number | undefined {
  const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const seconds = secondsOf.get(unit)
  return seconds === undefined ? undefined : Number(count) * seconds
}

/** `90s`, `15m`, `2h 5m`, `3d`: the largest units, two of them at most. */
function durationText(seconds: number): string {
  let rest = Math.max(0, Math.round(seconds))
  const parts: string[] = []
  for (const [unit, size] of [...secondsOf].reverse()) {
    if (rest >= size && parts.length < 2) {
      parts.push(`${Math.floor(rest / size)}${unit}`)
      rest %= size
    } else if (parts.length > 0) break
  }
  return parts.length === 0 ? '0s' : parts.join(' ')
}
