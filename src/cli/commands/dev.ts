// `fanlight serve` starts the application of a project in this process, `fanlight dev` in development: a file that is watched, or any program
// so that every Node process of it is observed.

import { existsSync, type FSWatcher, mkdtempSync, rmSync, statSync, watch } from 'node:fs'
import { join, resolve, dirname, relative, sep } from 'node:path'
import type { Command } from 'commander'
import { libraryRoot } from '../../base/own-package.ts'
import type { Cli } from '../cli.ts'
import { CliError, defaultModule, exitCodes } from '../command.ts'
import { isClosedAtBoot } from '../../app/process-context.ts'
import { run, type FrontController } from '../../app/run.ts'
import { loadFrontController, startOrReport } from '../front-controller.ts'
import { DevFolder, type Crash } from '../../errors/dev-folder.ts'
import { envFileNames } from '../../http/config/folder-files.ts'
import { ownVariables } from '../../http/config/own-variables.ts'
import { describeFailure } from '../../http/kernel/describe-failure.ts'
import { waitAtMost } from '../../http/kernel/within-budget.ts'
import { endAs, startProgram } from '../program/start-program.ts'
import type { ProgramOutcome, ProgramStart, StartedProgram } from '../program/start-program.ts'
import type { CrashPage } from '../watch/crash-page.ts'
import { tmpdir } from 'node:os'
import { setTimeout as passed } from 'node:timers/promises'

export function registerDev(program: Command, cli: Cli, words: readonly string[]): void {
  program
    .command('dev')
    .usage('<file> [args...]\n       fanlight dev -- <program> [args...]')
    .description(
      'start a file in development, and again whenever a file that it loads changes: fanlight dev app/main.ts. Or start any program\nwith profiler and error pages in its Express, Fastify, Koa, Hono, Nest, h3 or node:http servers, without a line in it:\nfanlight dev -- node app.js. After a crash its port responds with the error until it starts again.\nExits with the exit code of the program',
    )
    .argument('<program>', 'app/main.ts; or node app.js, nest start, tsx watch src/app.ts, npm run dev')
    .argument(
      '[args...]',
      'passed on unchanged; put -- before them, or before the program, where one starts with a dash',
    )
    .action(async (file: string, args: readonly string[]) => {
      const env = developmentEnvironment(cli.env)
      const isProgram = words.at(-2 - args.length) === '--'
      if (isProgram || !/\.[cm]?[jt]s$/.test(file)) {
        await watchProgram(cli, { name: [file, ...args].join(' '), file, args, env, files: [], restarts: false })
        return
      }
      const path = resolve(cli.cwd, file)
      if (!existsSync(path)) throw new CliError(`there is no ${file} in the working directory`, exitCodes.notFound)
      const node = { file: process.execPath, args: [file, ...args] }
      await watchProgram(cli, { name: file, ...node, env, files: [path], restarts: true })
    })
}

/** What the program gets: a switch, which in an application of this library means `APP_ENV=dev` if nobody names one, and a file that each Node process requires. */
function developmentEnvironment(given: Cli['env']): NodeJS.ProcessEnv {
  const { NODE_OPTIONS = '' } = given
  // Required, not imported: as soon as there is an `--import`, Node loads every entry as ESM, past what compiles CommonJS (ts-node).
  const file = join(libraryRoot(), import.meta.filename.endsWith('.ts') ? 'preload.cts' : 'preload.cjs')
  // Node splits at blanks, and reads quotes and backslashes as JSON writes them.
  const preload = /[\s"\\]/.test(file) ? JSON.stringify(file) : file
  const options = NODE_OPTIONS.includes(preload) ? NODE_OPTIONS : `${NODE_OPTIONS} --require ${preload}`.trim()
  return { ...given, FANLIGHT: 'on', NODE_OPTIONS: options }
}

export function registerServe(program: Command, cli: Cli): void {
  program
    .command('serve')
    .description('start the application of a project and keep it running')
    .argument('[module]', 'file that exports its front controller, (context) => App', defaultModule)
    .action(async (module: string) => {
      const load = (): Promise<FrontController> => startOrReport(cli, module, () => loadFrontController(cli, module))
      // A closed application is closed whatever its module does.
      const isClosed = isClosedAtBoot(cli.cwd, cli.env)
      await run(isClosed ? async (context) => (await load())(context) : await load())
    })
}

/** How long a program may take to end before it is killed, in milliseconds. */
const patienceMs = 5000

export interface WatchedProgram extends Pick<ProgramStart, 'file' | 'args'> {
  readonly env: NodeJS.ProcessEnv
  /** For people: `app/main.ts`. */
  readonly name: string
  /** Files that are known before it says which it loads. */
  readonly files: readonly string[]
  /** Whether it also starts again when a file changes while it runs, and waits for that after each end. */
  readonly restarts: boolean
}

/** Runs it until the command is to end, and then ends as the program did: throws a `ProgramEnd` with its exit code. */
export async function watchProgram(cli: Cli, program: WatchedProgram): Promise<void> {
  const path = mkdtempSync(join(tmpdir(), 'fanlight-dev-'))
  try {
    await new ProgramWatch(cli, program, path).run()
  } finally {
    rmSync(path, { recursive: true, force: true })
  }
}

class ProgramWatch {
  readonly #cli: Cli
  readonly #program: WatchedProgram
  readonly #path: string
  readonly #folder: DevFolder

  constructor(cli: Cli, program: WatchedProgram, path: string) {
    this.#cli = cli
    this.#program = program
    this.#path = path
    this.#folder = new DevFolder(path)
  }

  async run(): Promise<void> {
    const { name, file, env, files, restarts } = this.#program
    const stop = this.#cli.stopSignal()
    const stopped = new Promise<null>((settle) => stop.addEventListener('abort', () => settle(null), { once: true }))
    if (restarts) this.#say(`${name} starts again when one of its files changes`)
    let next: StartedProgram | undefined
    for (let starts = 1; ; starts += 1) {
      const watched = new FileWatch((problem) => this.#say(`some files are not watched: ${problem}`))
      for (const known of envFileNames(env['APP_ENV'] ?? 'dev')) watched.add(join(this.#cli.cwd, known))
      for (const known of files) watched.add(known)
      const read = (): void => this.#folder.list('files').forEach((path) => watched.add(path))
      const lasting = restarts ? null : new LastingCrash(this.#folder, () => this.#showLasting())
      const told = watch(this.#path, () => {
        read()
        lasting?.look()
      })
      // What the program did until now is no crash of the next one, which may have waited for its end.
      this.#folder.forgetCrash()
      const started = next ?? this.#start(starts)
      next = undefined
      this.#folder.freePorts()
      const changedWhileRunning = restarts ? [watched.changed.then(() => null)] : []
      let outcome = await Promise.race([started.ended, ...changedWhileRunning])
      await lasting?.end()
      let page: CrashPage | null = null
      let isOver = false
      if (outcome === null) {
        // It loads what observes it meanwhile, and waits for the ports.
        this.#folder.holdPorts()
        next = this.#start(starts + 1)
        outcome = await endProgram(started)
      } else if (!stop.aborted) {
        read()
        const { exitCode, startFailure } = outcome
        const crash = this.#folder.newCrash()
        const hasFailed = exitCode !== 0 && startFailure === null && (crash !== null || restarts)
        page = hasFailed ? await this.#showCrash(`${name} ${endOf(outcome)}`, crash) : null
        isOver = !restarts && page === null
        const shown = this.#isClosed ? 'the maintenance page' : 'the error'
        const where = page === null ? '' : `; until then ${page.addresses.join(' and ')} shows ${shown}`
        if (!isOver) this.#say(`${name} ${endOf(outcome)}; it starts again when a file changes${where}`)
      }
      const changed = stop.aborted || isOver ? null : await Promise.race([watched.changed, stopped])
      told.close()
      watched.close()
      await page?.close()
      if (changed === null) {
        next?.child.kill('SIGKILL')
        return endAs(file, outcome)
      }
      this.#say(`${relative(this.#cli.cwd, changed)} changed`)
    }
  }

  #start(starts: number): StartedProgram {
    const { file, args, env } = this.#program
    const own = { [ownVariables.restarts]: String(starts), [ownVariables.devFolder]: this.#path }
    // A start compiles only what has changed. V8 counts less in code that was compiled before.
    const kept = env['NODE_V8_COVERAGE'] === undefined ? { NODE_COMPILE_CACHE: join(this.#path, 'compiled') } : {}
    return startProgram({ file, args, cwd: this.#cli.cwd, env: { ...kept, ...env, ...own } })
  }

  async #showLasting(): Promise<CrashPage | null> {
    const crash = this.#folder.newCrash()
    const isServer = this.#folder.list('ports').length > 0 || this.#program.env['PORT'] !== undefined
    const what = `a process of ${this.#program.name} has crashed`
    const page = crash !== null && isServer ? await this.#showCrash(what, crash) : null
    // Another process may serve on.
    if (page?.isPartial === true) await page.close()
    if (page === null || page.isPartial) return null
    this.#say(`${what}; until another one starts ${page.addresses.join(' and ')} shows the error`)
    return page
  }

  /** `null` if nobody knows where it would listen. */
  async #showCrash(what: string, crash: Crash | null): Promise<CrashPage | null> {
    try {
      if (this.#isClosed) {
        const { serveClosed } = await import('../../app/closed-gate.ts')
        const { app, url } = await serveClosed({ cwd: this.#cli.cwd, env: this.#program.env })
        return { addresses: [url], isPartial: false, close: () => app.close() }
      }
      const context = this.#cli.contextWith(this.#program.env)
      const { serveCrash } = await import('../watch/crash-page.ts')
      const told = this.#folder.list('ports').map(Number)
      const isKnown = this.#program.restarts || this.#program.env['PORT'] !== undefined
      const isSecure = context.tls === null && this.#folder.list('secure').length > 0
      const ports = told.length > 0 ? told : isKnown && !isSecure && context.port > 0 ? [context.port] : []
      if (!context.debug) return null
      if (ports.length === 0)
        throw new Error(isSecure ? 'the program serves HTTPS' : 'PORT does not say where the program listens')
      const page = await serveCrash(what, crash, ports, context)
      if (page.addresses.length > 0) return page
      await page.close()
      return null
    } catch (thrown) {
      this.#say(`the error has no page: ${describeFailure(thrown).message}`)
      return null
    }
  }

  /** Whatever else its settings say. */
  get #isClosed(): boolean {
    return isClosedAtBoot(this.#cli.cwd, this.#program.env)
  }

  #say(line: string): void {
    this.#cli.terminal.error(line)
  }
}

/** The end of a program comes so soon after that of the process that failed, in milliseconds. */
const endsSoonMs = 1000

/** A crash of a process that the program outlives: `node --watch` starts another one, which gets the port from the page. */
class LastingCrash {
  readonly #folder: DevFolder
  readonly #show: () => Promise<CrashPage | null>
  #page: Promise<CrashPage | null> | null = null
  #starts = 0
  readonly #over = new AbortController()

  constructor(folder: DevFolder, show: () => Promise<CrashPage | null>) {
    this.#folder = folder
    this.#show = show
  }

  look(): void {
    const starts = this.#folder.list('starts').length
    if (this.#page !== null) {
      if (starts <= this.#starts) return
      this.#starts = Infinity
      void this.#close()
    } else if (this.#folder.hasCrash && !this.#over.signal.aborted) {
      this.#starts = starts
      this.#page = this.#open()
    }
  }

  async end(): Promise<void> {
    this.#over.abort()
    const page = await this.#page
    await page?.close()
    this.#folder.freePorts()
  }

  async #open(): Promise<CrashPage | null> {
    await passed(endsSoonMs, null, { signal: this.#over.signal }).catch(() => null)
    if (this.#over.signal.aborted) return null
    // In this order one of both sees the other.
    this.#folder.holdPorts()
    const page = this.#folder.list('starts').length > this.#starts ? null : await this.#show()
    if (page === null) this.#folder.freePorts()
    return page
  }

  async #close(): Promise<void> {
    const page = await this.#page
    await page?.close()
    this.#folder.forgetCrash()
    this.#page = null
    this.#folder.freePorts()
  }
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

/** How long nothing may happen before files are compared, in milliseconds: tools write many at a time. */
const quietMs = 50

/** Watches until the first change. */
class FileWatch {
  /** Settles with the path of the first file that changed, came or went. Never rejects. */
  readonly changed: Promise<string>
  readonly #tell: (path: string) => void
  readonly #onProblem: (problem: string) => void
  readonly #stamps = new Map<string, string>()
  readonly #folders = new Map<string, FSWatcher>()
  #timer: NodeJS.Timeout | undefined

  /** `onProblem` is told why a folder cannot be watched. */
  constructor(onProblem: (problem: string) => void) {
    const { promise, resolve } = Promise.withResolvers<string>()
    this.changed = promise
    this.#tell = resolve
    this.#onProblem = onProblem
  }

  /** From now on a change of the file counts. It need not be there. */
  add(path: string): void {
    if (this.#stamps.has(path)) return
    this.#stamps.set(path, stampOf(path))
    this.#watchFolderOf(path)
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const watcher of this.#folders.values()) watcher.close()
    this.#folders.clear()
  }

  #watchFolderOf(path: string): void {
    let folder = dirname(path)
    while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder)
    if (this.#folders.has(folder)) return
    try {
      // Who writes a log or a store beside the files must not hold a change up.
      const watcher = watch(folder, (_, name) => {
        if (name === null || this.#isWatched(join(folder, name))) this.#lookSoon()
      })
      watcher.on('error', () => this.#lookSoon())
      this.#folders.set(folder, watcher)
    } catch (error) {
      this.#onProblem(error instanceof Error ? error.message : String(error))
    }
  }

  /** Whether it is a file that counts, or a folder on the way to one that is not there yet. */
  #isWatched(path: string): boolean {
    return this.#stamps.has(path) || [...this.#stamps.keys()].some((known) => known.startsWith(path + sep))
  }

  #lookSoon(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#look(), quietMs)
  }

  #look(): void {
    for (const [path, stamp] of this.#stamps) {
      if (stampOf(path) !== stamp) this.#tell(path)
      // Its folder may have come meanwhile.
      else if (stamp === missing) this.#watchFolderOf(path)
    }
  }
}

const missing = 'missing'

function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats === undefined ? missing : `${stats.mtimeMs} ${stats.size}`
}
