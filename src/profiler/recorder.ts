// Begins recordings: hands each request a token of its own, a stopwatch and a log that masks what it keeps.

import { OwnLines, type LineMask } from '../framework/log/formed-line.ts'
import { RecordLogger, type RecordLoggerOptions } from '../framework/log/record-logger.ts'
import type { LogSink } from '../framework/log/logger.ts'
import { Recording } from '../framework/recording/recording.ts'
import type { Redactor } from '../framework/redact/redactor.ts'
import { Stopwatch } from '../framework/timing/stopwatch.ts'
import { FreshTokens } from './fresh-tokens.ts'

/** What a recorder is made of. */
export interface RecorderOptions {
  readonly redactor: Redactor
  /** The process log: gets every line besides. */
  readonly log: LogSink
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
    const { redactor, log } = options
    const mask: LineMask = {
      mask: (context) => redactor.record(context),
      maskOwn: (context) => redactor.ownRecord(context),
      maskText: (text) => redactor.text(text),
    }
    this.#logging = { downstream: log, ...mask, ownLines: new OwnLines(mask) }
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
