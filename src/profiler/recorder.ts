// Begins recordings: hands each request a token of its own, a stopwatch and a log that masks what it keeps.

import { RecordLogger, type RecordLoggerOptions } from '../framework/log/record-logger.ts'
import type { LogSink } from '../framework/log/logger.ts'
import { Recording } from '../framework/recording/recording.ts'
import type { Redactor } from '../framework/redact/redactor.ts'
import { Stopwatch } from '../framework/timing/stopwatch.ts'
import { FreshTokens } from './token.ts'

/** What a recorder is made of. */
export interface RecorderOptions {
  readonly redactor: Redactor
  /** Gets every line too. */
  readonly sink: LogSink
  /** Makes tokens. Default: 62 random bits each. */
  readonly createToken?: () => string
  /** Wall clock, milliseconds since 1970. Default `Date.now`. */
  readonly wallClock?: () => number
}

/** Begins recordings. */
export class Recorder {
  readonly #options: RecorderOptions
  readonly #tokens: FreshTokens
  /** Made once: requests come too often for functions of their own. */
  readonly #logging: RecordLoggerOptions
  readonly #fork = (parent: Recording): Recording => this.begin(parent)

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#tokens = new FreshTokens(options.createToken)
    this.#logging = { sink: options.sink, redactor: options.redactor }
  }

  /** A recording of a request, or of a sub-request of `parent`. */
  begin(parent?: Recording): Recording {
    const stopwatch = new Stopwatch()
    return new Recording({
      token: this.#tokens.next(),
      parent,
      startedAt: (this.#options.wallClock ?? Date.now)(),
      stopwatch,
      logger: new RecordLogger(this.#logging, stopwatch),
      fork: this.#fork,
    })
  }
}
