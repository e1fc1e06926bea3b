// Begins recordings: hands each request a token, a stopwatch and a log that masks what it keeps.

import { RecordLogger } from '../log/record-logger.ts'
import type { LogSink } from '../log/logger.ts'
import { Recording } from '../recording/recording.ts'
import type { Redactor } from '../redact/redactor.ts'
import { Stopwatch } from '../timing/stopwatch.ts'
import { TokenSource } from './token.ts'

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
  readonly #createToken: () => string

  constructor(options: RecorderOptions) {
    const tokens = new TokenSource()
    this.#options = options
    this.#createToken = options.createToken ?? (() => tokens.create())
  }

  /** A recording of a request, or of a sub-request of `parent`. `isTaken` says which tokens are in use already. */
  begin(isTaken: (token: string) => boolean, parent?: Recording): Recording {
    const { redactor, log, wallClock = Date.now } = this.#options
    const stopwatch = new Stopwatch()
    let token = this.#createToken()
    while (isTaken(token)) token = this.#createToken()
    return new Recording({
      token,
      ...(parent === undefined ? {} : { parent }),
      startedAt: wallClock(),
      stopwatch,
      logger: new RecordLogger({
        downstream: log,
        mask: (context) => redactor.record(context),
        maskText: (text) => redactor.text(text),
        elapsedMs: () => stopwatch.elapsedMs(),
      }),
      fork: (own) => this.begin(isTaken, own),
    })
  }
}
