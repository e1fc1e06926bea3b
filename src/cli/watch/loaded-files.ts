// Preloaded into a program that `fanlight dev` watches: names each file as it is loaded, and reports an error that nobody catches.

import { spawnSync } from 'node:child_process'
import { writeSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import { requireBeside } from '../../framework/kernel/require-beside.ts'
import type * as Report from './crash-report.ts'
import { filesDescriptor } from './files-descriptor.ts'

class LoadedFiles {
  #last = ''

  start(): void {
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
    process.on('uncaughtExceptionMonitor', (error: unknown) => this.#report(error))
  }

  #tell(url: string | undefined): void {
    if (url?.startsWith('file:') !== true || url.includes('/node_modules/')) return
    try {
      this.#last = fileURLToPath(url)
      writeSync(filesDescriptor, `${this.#last}\n`)
    } catch {
      // Nobody watches any more.
    }
  }

  /** Beside what Node prints. If the program has its own listener, that decides. */
  #report(thrown: unknown): void {
    if (process.listenerCount('uncaughtException') > 0) return
    try {
      // Before the report is loaded, which is not what failed.
      const shown = thrown instanceof SyntaxError ? this.#withPlace(thrown) : thrown
      const { thrownReport } = requireBeside('crash-report', import.meta.url) as typeof Report
      // Node leaves `isTTY` undefined on a pipe.
      process.stderr.write(`${thrownReport('Uncaught exception', shown, Boolean(process.stderr.isTTY))}\n`)
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

if (isMainThread) new LoadedFiles().start()
