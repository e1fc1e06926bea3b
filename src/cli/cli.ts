// What every command works with: its shape, how it ends, the working directory, the terminal, and the store that the runtime context names.

import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { storeBounds } from '../app/open-store.ts'
import { dependsOn } from '../framework/config/name-variables.ts'
import { nameError } from '../framework/http/name-error.ts'
import { hasObservedSettings, loadObservedContext } from '../framework/config/observed-context.ts'
import { findProjectRoot } from '../framework/config/own-package.ts'
import {
  loadRuntimeContext,
  type LoadedRuntimeContext,
  type RuntimeContext,
} from '../framework/config/runtime-context.ts'
import { integrations } from '../integrations/frameworks/all.ts'
import { isOn } from '../integrations/switch.ts'
import type { MissingParts } from '../profiler/profile-store.ts'
import { missingSentence } from '../profiler/query/missing-parts.ts'
import type { EngineOptions } from '../stores/engine-options.ts'
import type { Engine } from '../stores/engine.ts'
import { openEngine } from '../stores/open-engine.ts'
import type { Terminal } from './terminal.ts'

export interface CliOptions {
  readonly terminal: Terminal
  /** Working directory: `.env` files and the store are looked for from here. */
  readonly cwd: string
  /** `process.env`; the names of the `.env` files are added before an application is loaded. */
  readonly env: Record<string, string | undefined>
  /** Wall clock, milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number
  /** Whether the settings are those of an application of this library. Default: unless the folder holds one of another framework. */
  readonly isOfLibrary?: true
  /** Opens the store that the runtime context names. Default `openEngine`. */
  readonly openStore?: typeof openEngine
  /** Aborts when the command is to end: asked for by commands that would not end by themselves. Default: never. */
  readonly stopSignal?: () => AbortSignal
  /** Called before code of an application is loaded that may leave timers or connections behind. Default: nothing. */
  readonly leavesNothingRunning?: () => void
}

export class Cli {
  readonly terminal: Terminal
  readonly cwd: string
  readonly env: Record<string, string | undefined>
  readonly now: () => number
  readonly leavesNothingRunning: () => void
  readonly stopSignal: () => AbortSignal
  readonly openStore: typeof openEngine
  readonly #options: CliOptions
  #ofLibrary: Cli | undefined
  #context: RuntimeContext | undefined

  constructor(options: CliOptions) {
    this.#options = options
    this.terminal = options.terminal
    this.cwd = options.cwd
    this.env = options.env
    this.now = options.now ?? Date.now
    this.leavesNothingRunning = options.leavesNothingRunning ?? (() => undefined)
    this.stopSignal = options.stopSignal ?? (() => new AbortController().signal)
    this.openStore = options.openStore ?? openEngine
  }

  /** The same for an application of this library, whatever the folder holds. */
  get ofLibrary(): Cli {
    return (this.#ofLibrary ??= new Cli({ ...this.#options, isOfLibrary: true }))
  }

  /** The runtime context, loaded once; its warnings go to standard error. Throws what loading throws, one line. */
  context(): RuntimeContext {
    if (this.#context === undefined) {
      const { context, warnings } = this.#load()
      for (const warning of warnings) this.terminal.error(warning)
      this.#context = context
    }
    return this.#context
  }

  /** The context that a program gets with this environment. Throws what loading throws. */
  contextWith(env: Cli['env']): RuntimeContext {
    return this.#load(env).context
  }

  #load(env = this.env): LoadedRuntimeContext {
    const { cwd } = this
    const packages = integrations.map((integration) => integration.package)
    const isOther = hasObservedSettings(cwd, env) || dependsOn(findProjectRoot(cwd), packages)
    return isOther && this.#options.isOfLibrary !== true
      ? loadObservedContext({ cwd, env, debug: isOn(env) })
      : loadRuntimeContext({ cwd, env })
  }

  /** Says on standard error which parts of the store did not respond, if any. */
  noteMissing(missing: MissingParts | undefined): void {
    if (missing !== undefined) this.terminal.error(missingSentence(missing))
  }

  /** What stores are opened with. */
  engineOptions(): EngineOptions {
    const context = this.context()
    const onWarning = (line: string): void => this.terminal.error(line)
    return { ...storeBounds(context), directory: context.projectRoot, onWarning }
  }

  /**
   * Opens the store, does the work and closes the store, whatever happens. Throws a CliError for `memory:`: what another
   * process keeps in its memory cannot be reached.
   */
  async withEngine<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
    return this.withStore(this.context().store, work)
  }

  /** The same with the store of another address. */
  async withStore<T>(address: string, work: (engine: Engine) => Promise<T>): Promise<T> {
    const context = this.context()
    if (address === 'memory:') {
      const what = context.store === address ? `${context.settingPrefix}STORE` : 'The store'
      throw new CliError(
        `${what} is "memory:"; a memory store cannot be shared, so there is nothing this command could reach`,
      )
    }
    const engine = await this.openStore(address, this.engineOptions())
    try {
      return await work(engine)
    } finally {
      await engine.close()
    }
  }
}

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
  readonly exitCode: ExitCode
  /** Lines that are written in place of the message, safe for a terminal. */
  readonly report: string | undefined

  constructor(message: string, exitCode: ExitCode = exitCodes.failed, options?: ErrorOptions & { report?: string }) {
    super(message, options)
    this.exitCode = exitCode
    this.report = options?.report
  }

  get code(): string {
    return 'ERR_CLI'
  }
}
nameError(CliError)

/** Ends a command with the exit code of a program that it ran, and prints nothing: the program has said why. */
export class ProgramEnd extends Error {
  readonly exitCode: number

  constructor(exitCode: number) {
    super(`the program ended with ${exitCode}`)
    this.exitCode = exitCode
  }
}

/** Adds a command, with its subcommands, to the program. `words` is the command line as it was typed. */
export type RegisterCommand = (program: Command, cli: Cli, words: readonly string[]) => void

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
export function writeNew(cli: Cli, { file, content, mayReplace, mode }: NewFile): void {
  const flag = mayReplace ? 'w' : 'wx'
  try {
    writeFileSync(resolve(cli.cwd, file), content, { flag, ...(mode !== undefined && { mode }) })
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException
    const reason = code === 'EEXIST' ? 'already exists; --force overwrites it' : `cannot be written (${code})`
    throw new CliError(`${file} ${reason}`, undefined, { cause })
  }
  cli.terminal.lines([`${file} written.`])
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
export function durationText(seconds: number): string {
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
