// What every command works with: the working directory, the terminal, and the store that the runtime context names.

import type { Command } from 'commander'
import { dependsOn } from '../http/config/folder-files.ts'
import {
  hasObservedSettings,
  loadObservedContext,
  loadRuntimeContext,
  type LoadedRuntimeContext,
  type RuntimeContext,
} from '../http/config/runtime-context.ts'
import { findProjectRoot } from '../base/own-package.ts'
import { integrations } from '../integrations/frameworks/all.ts'
import { isOn } from '../integrations/switch.ts'
import { type MissingParts, missingSentence } from '../profiles/profile-store.ts'
import type { EngineOptions, Engine } from '../stores/engine.ts'
import { openEngine } from '../app/open-engine.ts'
import { CliError } from './command.ts'
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

  engineOptions(): EngineOptions {
    const { projectRoot, recording } = this.context()
    const { maxProfiles, maxBytes, maxAgeMs } = recording
    const onWarning = (line: string): void => this.terminal.error(line)
    return { maxProfiles, maxBytes, maxAgeMs, directory: projectRoot, onWarning }
  }

  /**
   * Opens the store, does the work and closes the store, whatever happens. Throws a CliError for `memory:`: what another
   * process keeps in its memory cannot be reached. `isPatient`: as in `EngineOptions`.
   */
  async withEngine<T>(work: (engine: Engine) => Promise<T>, isPatient = false): Promise<T> {
    const { store, settingPrefix } = this.context()
    if (store === 'memory:') {
      throw new CliError(
        `${settingPrefix}STORE is "memory:"; a memory store cannot be shared, so there is nothing this command could reach`,
      )
    }
    const engine = await this.openStore(store, { ...this.engineOptions(), isPatient })
    try {
      return await work(engine)
    } finally {
      await engine.close()
    }
  }
}

/** Adds a command, with its subcommands, to the program. `words` is the command line as it was typed. */
export type RegisterCommand = (program: Command, cli: Cli, words: readonly string[]) => void
