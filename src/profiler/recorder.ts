// Begins recordings: gives each request a token, a stopwatch and a log that masks what it keeps.

import { randomInt } from 'node:crypto'
import type { LogSink } from '../framework/log/logger.ts'
import { RecordLogger, type RecordLoggerOptions } from '../framework/log/record-logger.ts'
import { Recording, type RecordingParts } from '../framework/recording/recording.ts'
import type { Redactor } from '../framework/redact/redactor.ts'
import { Stopwatch } from '../framework/timing/stopwatch.ts'
import { tokenPattern } from './profile.ts'

export interface RecorderOptions {
  readonly redactor: Redactor
  /** Gets every line too. */
  readonly sink: LogSink
  /** Makes tokens. What it repeats is replaced. Default: `createToken`. */
  readonly createToken?: () => string
  /** The letter that each token ends in, after the twelve of `createToken`. Default: none. */
  readonly newTokenEnding?: (() => string) | undefined
  /** Wall clock, milliseconds since 1970. Default `Date.now`. */
  readonly wallClock?: () => number
  /** Class of the recordings. Default: `Recording`. */
  readonly recordingClass?: new (parts: RecordingParts) => Recording
}

export class Recorder {
  readonly #logging: RecordLoggerOptions
  readonly #redactor: Redactor
  readonly #recordingClass: new (parts: RecordingParts) => Recording
  readonly #createToken: () => string
  readonly #wallClock: () => number
  readonly #fork = (parent: Recording): Recording => this.begin(parent)

  constructor({
    redactor,
    sink,
    createToken: create,
    newTokenEnding,
    wallClock = Date.now,
    recordingClass = Recording,
  }: RecorderOptions) {
    this.#logging = { sink, redactor }
    this.#redactor = redactor
    this.#recordingClass = recordingClass
    this.#createToken = create === undefined ? () => createToken(newTokenEnding?.()) : freshTokens(create)
    this.#wallClock = wallClock
  }

  /** A recording of a request, or of a sub-request of `parent`. */
  begin(parent?: Recording): Recording {
    const stopwatch = new Stopwatch()
    return new this.#recordingClass({
      token: this.#createToken(),
      parent,
      startedAt: this.#wallClock(),
      stopwatch,
      logger: new RecordLogger(this.#logging, stopwatch),
      redactor: this.#redactor,
      fork: this.#fork,
    })
  }
}

/** `4f7k2m9qx0ab`: twelve of 36 letters, 62 bits from the system's random source, then the ending. Two are never the same. */
export function createToken(ending = ''): string {
  const [first, second] = [randomInt(36 ** 6), randomInt(36 ** 6)]
  return first.toString(36).padStart(6, '0') + second.toString(36).padStart(6, '0') + ending
}

/** Tokens remembered at least; as many as may wait to be written. */
const remembered = 1000
/** How often another source is asked before the built-in one takes over. */
const maxAttempts = 8

/** Takes tokens from `create`, except those of recent requests and anything that is not a token. */
export function freshTokens(create: () => string): () => string {
  let newer = new Set<string>()
  let older = new Set<string>()
  const isFree = (token: string): boolean => tokenPattern.test(token) && !newer.has(token) && !older.has(token)
  return () => {
    let token = create()
    for (let attempt = 1; !isFree(token); attempt += 1) token = attempt < maxAttempts ? create() : createToken()
    if (newer.size >= remembered) {
      older = newer
      newer = new Set()
    }
    newer.add(token)
    return token
  }
}
