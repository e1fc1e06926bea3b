// Preloaded into a program that `fanlight dev` watches: names each file as it is loaded, and reports an error that nobody catches.

import { spawnSync } from 'node:child_process'
import { writeSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'
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
    process.on('uncaughtException', (error: unknown) => void this.#report(error))
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

  /** As `run()` does. If the program has its own listener, that decides. */
  async #report(thrown: unknown): Promise<void> {
    if (process.listenerCount('uncaughtException') > 1) return
    if (thrown instanceof SyntaxError) this.#addPlace(thrown)
    const { thrownReport } = await import('../../errors/thrown-report.ts')
    // Node leaves `isTTY` undefined on a pipe.
    process.stderr.write(`${thrownReport('Uncaught exception', thrown, Boolean(process.stderr.isTTY))}\n`)
    process.exit(1)
  }

  /** The stack of a syntax error in JavaScript names only Node's own files. */
  #addPlace(error: SyntaxError): void {
    if (/^[^\n]+:\d+\n/.test(error.stack ?? '') || !/\.[cm]?js$/.test(this.#last)) return
    const { NODE_OPTIONS: _, ...env } = process.env
    const { status, stderr } = spawnSync(process.execPath, ['--check', this.#last], { env, encoding: 'utf8' })
    if (status !== 0) error.stack = stderr
  }
}

if (isMainThread) new LoadedFiles().start()
