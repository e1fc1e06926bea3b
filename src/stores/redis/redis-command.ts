// What is sent to Redis and what comes back.

import { RedisFailure } from './redis-failure.ts'

/** A command in lower case and its arguments. */
export type RedisCommand = readonly [name: string, ...args: (string | number | Buffer)[]]

/** What a command gives. */
export type RedisReply = string | number | Buffer | null | readonly RedisReply[]

/** One for each command that was sent; a failure if the server refused that one. */
export type RedisReplies = readonly (RedisReply | RedisFailure)[]

export interface SendOptions {
  /** Milliseconds to wait for everything. Default and most: 2000. */
  readonly patienceMs?: number
  /** Texts come as Buffers. Default: false. */
  readonly isRaw?: boolean
}

/** The default of `patienceMs`. */
export const defaultPatienceMs = 2000

/** Replies to commands of which none was refused. Throws the first refusal. */
export function accepted(replies: RedisReplies): readonly RedisReply[] {
  return replies.map((reply) => {
    if (reply instanceof RedisFailure) throw reply
    return reply
  })
}

/** The clock of a server in its reply to `TIME`: milliseconds since 1970, with a fraction. */
export function timeOf(reply: RedisReply | undefined): number {
  const [seconds = 0, micros = 0] = Array.isArray(reply) ? reply.map(Number) : []
  return seconds * 1000 + micros / 1000
}

/** Reads fields of a reply to `INFO`; `''` for one that is not there. */
export function infoOf(reply: RedisReply | undefined): (name: string) => string {
  return (name) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(String(reply))?.[1] ?? ''
}

/** The pairs of a reply that has names and values in turn, such as that to `HGETALL`. */
export function pairsOf(reply: RedisReply | undefined): readonly (readonly [name: string, value: string])[] {
  const list = Array.isArray(reply) ? reply.map(String) : []
  return list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1] ?? ''] as const] : []))
}
