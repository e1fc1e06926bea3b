// Begins recordings: gives each request a token, a stopwatch and a log that masks what it keeps.

import { createRequestId } from '../base/http/request-id.ts'
import { wallMs } from '../base/timing/builtins.ts'
import { type LogSink, RecordLogger } from '../base/log/logger.ts'
import type { BodyRule } from '../http/recording/body-rule.ts'
import { Recording } from '../http/recording/recording.ts'
import type { Redactor } from '../base/redact/redactor.ts'
import { Stopwatch } from '../base/timing/stopwatch.ts'

interface RecorderOptions {
  readonly redactor: Redactor
  /** Gets every line too. */
  readonly sink: LogSink
  /** Gives the letter that a token ends in, after the twelve of `createToken`. Default: none. */
  readonly newTokenEnding?: (() => string) | undefined
  /** Which bodies are kept where no route says so. Default: none. */
  readonly bodies?: BodyRule
}

export class Recorder {
  readonly #options: RecorderOptions
  readonly #fork = (parent: Recording): Recording => this.begin(parent)

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  /** A recording of a request, or of a sub-request of `parent`. */
  begin(parent?: Recording): Recording {
    const stopwatch = new Stopwatch()
    const { redactor, newTokenEnding, bodies = 'none' } = this.#options
    return new Recording({
      token: createToken(newTokenEnding?.()),
      parent,
      startedAt: wallMs(),
      stopwatch,
      logger: new RecordLogger(this.#options, stopwatch),
      redactor,
      bodies,
      fork: this.#fork,
    })
  }
}

/** `4f7k2m9qx0ab`: twelve of 36 letters, 62 bits from the system's random source, then the ending. Two are never the same. */
export function createToken(ending = ''): string {
  return createRequestId() + ending
}
