// What is sent to Redis and what comes back.

import type { RedisFailure } from './redis-failure.ts'

/** A command in lower case and its arguments. */
export type RedisCommand = readonly [name: string, ...args: (string | number | Buffer)[]]

/** What a command gives. */
export type RedisReply = string | number | Buffer | null | readonly RedisReply[]

/** One for each command that was sent; a failure where the server refused that one. */
export type RedisReplies = readonly (RedisReply | RedisFailure)[]

export interface SendOptions {
  /** Milliseconds to wait for everything. Default and most: 2000. */
  readonly patienceMs?: number
  /** Texts come as Buffers. Default: false. */
  readonly isRaw?: boolean
}

/** The default of `patienceMs`. */
export const defaultPatienceMs = 2000
