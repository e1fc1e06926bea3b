// Begins recordings: gives each request a token, a stopwatch and a log that masks what it keeps.

import { createRequestId } from '../base/http/request-id.ts'
import { wallMs } from '../base/timing/builtins.ts'
import type { LogSink } from '../base/log/logger.ts'
import { RecordLogger, type RecordLoggerOptions } from '../base/log/record-logger.ts'
import { Recording } from '../http/recording/recording.ts'
import type { Redactor } from '../base/redact/redactor.ts'
import { Stopwatch } from '../base/timing/stopwatch.ts'

interface RecorderOptions {
  readonly redactor: Redactor
  /** Gets every line too. */
  readonly sink: LogSink
  /** Gives the letter that a token ends in, after the twelve of `createToken`. Default: none. */
  readonly newTokenEnding?: (() => string) | undefined
}

export class Recorder {
  readonly #logging: RecordLoggerOptions
  readonly #redactor: Redactor
  readonly #newTokenEnding: (() => string) | undefined
  readonly #fork = (parent: Recording): Recording => this.begin(parent)

  constructor({ redactor, sink, newTokenEnding }: RecorderOptions) {
    this.#logging = { sink, redactor }
    this.#redactor = redactor
    this.#newTokenEnding = newTokenEnding
  }

  /** A recording of a request, or of a sub-request of `parent`. */
  begin(parent?: Recording): Recording {
    const stopwatch = new Stopwatch()
    return new Recording({
      token: createToken(this.#newTokenEnding?.()),
      parent,
      startedAt: wallMs(),
      stopwatch,
      logger: new RecordLogger(this.#logging, stopwatch),
      redactor: this.#redactor,
      fork: this.#fork,
    })
  }
}

/** `4f7k2m9qx0ab`: twelve of 36 letters, 62 bits from the system's random source, then the ending. Two are never the same. */
export function createToken(ending = ''): string {
  return createRequestId() + ending
}
