// Logs warnings of the process with the request that caused them. Node emits each deprecation once, for the first request.

import { currentExchange } from '../framework/kernel/current-exchange.ts'
import { processWarning } from '../framework/log/lines.ts'
import { StackFrames } from './stack-frames.ts'
import { frameText } from './trace-lines.ts'

/** Watches from `start()` to `stop()`. Node prints the warnings as usual. */
export class ProcessWarnings {
  readonly #frames: StackFrames
  readonly #note = (warning: Error): void => this.#write(warning)

  /** `projectRoot`: absolute directory; the place of a warning is the first frame below it. */
  constructor(projectRoot: string) {
    this.#frames = new StackFrames(projectRoot)
  }

  start(): void {
    process.on('warning', this.#note)
  }

  stop(): void {
    process.off('warning', this.#note)
  }

  #write(warning: Error): void {
    // Only on a recording: Node prints the warning anyway, but cannot name the request.
    const log = currentExchange()?.recording?.logger
    if (log === undefined) return
    const { name, message, stack = '' } = warning
    const code = 'code' in warning && typeof warning.code === 'string' ? warning.code : null
    const frames = this.#frames.read(stack, message, { maxFrames: 20, maxExcerpts: 0 })
    const own = frames.find(({ origin }) => origin === 'own')
    log.write(processWarning({ name, code, message, place: own === undefined ? null : frameText(own) }))
  }
}
