// A Node process of a program that `fanlight dev` runs: names the files that it loads and the ports that its servers listen on, and reports
// an error that nobody catches. Loaded by `fanlight/register` there.

import { spawnSync } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:http'
import { flushCompileCache, registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import { setImmediate, setTimeout } from '../base/timing/builtins.ts'
import { DevFolder } from '../errors/dev-folder.ts'
import { loadObservedContext } from '../http/config/runtime-context.ts'
import { currentExchange } from '../http/kernel/current-exchange.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import { requireBeside } from '../http/kernel/lazy.ts'
import type * as Report from './crash-report.ts'

/** How long a server listens until its compiled code is kept for the next start, in milliseconds. */
const keptAfterMs = 1000

interface Failure {
  readonly thrown: unknown
  readonly exchange: Exchange | undefined
}

class DevProcess {
  readonly #folder: DevFolder
  #last = ''
  #failure: Failure | undefined

  constructor(folder: DevFolder) {
    this.#folder = folder
  }

  start(): void {
    this.#folder.enter()
    registerHooks({
      resolve: (specifier, context, next) => {
        try {
          return next(specifier, context)
        } catch (error) {
          // The program may run once the file is there.
          if (/^(?:\.|\/|file:)/.test(specifier)) this.#tell(URL.parse(specifier, context.parentURL)?.href)
          throw error
        }
      },
      load: (url, context, next) => {
        this.#tell(url)
        return next(url, context)
      },
    })
    subscribe('tracing:net.server.listen:asyncEnd', (message) => {
      const { server } = message as { readonly server: Server }
      const address = 'headersTimeout' in server ? server.address() : null
      const list = 'setSecureContext' in server ? 'secure' : 'ports'
      if (address === null || typeof address === 'string') return
      this.#folder.add(list, String(address.port))
      // A signal ends most servers, and then Node keeps nothing by itself.
      setTimeout(flushCompileCache, keptAfterMs).unref()
    })
    process.on('uncaughtExceptionMonitor', (thrown: unknown) => {
      this.#failure = { thrown, exchange: currentExchange() }
      // If the program has its own listener, that decides: only an end that follows at once is caused by the error.
      if (process.listenerCount('uncaughtException') > 0) setImmediate(() => (this.#failure = undefined))
    })
    // Others note the error on its request meanwhile.
    process.on('exit', () => this.#report())
  }

  #tell(url: string | undefined): void {
    if (url?.startsWith('file:') !== true || url.includes('/node_modules/')) return
    this.#last = fileURLToPath(url)
    this.#folder.add('files', this.#last)
  }

  /** Beside what Node prints. */
  #report(): void {
    if (this.#failure === undefined || process.listeners('uncaughtException').some((one) => 'reportsCrashes' in one))
      return
    const { thrown, exchange } = this.#failure
    try {
      // Before the report is loaded, which is not what failed.
      const shown = thrown instanceof SyntaxError ? this.#withPlace(thrown) : thrown
      const { thrownReport } = requireBeside('crash-report', import.meta.url) as typeof Report
      const { context } = loadObservedContext({ cwd: process.cwd(), env: process.env, debug: true })
      const keepsProfiles = context.store !== 'memory:'
      // Node leaves `isTTY` undefined on a pipe.
      const isTerminal = Boolean(process.stderr.isTTY)
      process.stderr.write(
        `${thrownReport({ heading: 'Uncaught error', thrown: shown, exchange, keepsProfiles, isTerminal })}\n`,
      )
    } catch {
      // Node says what has happened.
    }
  }

  /** The stack of a syntax error in JavaScript names only Node's own files. */
  #withPlace(error: SyntaxError): SyntaxError {
    if (/^[^\n]+:\d+\n/.test(error.stack ?? '') || !/\.[cm]?js$/.test(this.#last)) return error
    const { NODE_OPTIONS: _, ...env } = process.env
    const { status, stderr } = spawnSync(process.execPath, ['--check', this.#last], { env, encoding: 'utf8' })
    return status === 0 ? error : Object.assign(new SyntaxError(error.message), { stack: stderr })
  }
}

const folder = DevFolder.ofProcess()
if (folder !== null && isMainThread) new DevProcess(folder).start()
