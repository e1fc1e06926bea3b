// Deprecations and warnings of the process, noted in the log of the request in whose course they were given out. Node gives
// out each deprecation once, so it stands with the first request that meets it.

import { currentExchange } from '../framework/kernel/current-exchange.ts'
import { processWarning } from '../framework/log/lines.ts'
import { StackFrames } from './stack-frames.ts'
import { frameText } from './trace-lines.ts'

/** Watches from `start()` to `stop()`. What Node prints of a warning is left as it is. */
export class ProcessWarnings {
  readonly #frames: StackFrames
  readonly #note = (warning: Error): void => this.#write(warning)

  /** `projectRoot`: absolute directory of the application; the place of a warning is the first call of a file below it. */
  constructor(projectRoot: string) {
    this.#frames = new StackFrames(projectRoot)
  }

  /** Begins to watch. */
  start(): void {
    process.on('warning', this.#note)
  }

  /** Ends it. */
  stop(): void {
    process.off('warning', this.#note)
  }

  #write(warning: Error): void {
    // With the request's recording; Node prints every warning itself, but cannot say which request met it.
    const log = currentExchange()?.recording?.logger
    if (log === undefined) return
    const { name, message, stack = '' } = warning
    const code = 'code' in warning && typeof warning.code === 'string' ? warning.code : null
    const frames = this.#frames.read(stack, message, { maxFrames: 20, maxExcerpts: 0 })
    const own = frames.find(({ origin }) => origin === 'own')
    log.write(processWarning({ name, code, message, place: own === undefined ? null : frameText(own) }))
  }
}
