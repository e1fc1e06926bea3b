// What the calling thread serves of a store in Redis: the lock, collections and the members of the fleet.

import type { LockStore } from '../../plugins/maintenance/lock-store.ts'
import type { FleetMember } from '../../profiler/fleet-stats.ts'
import type { PauseStore } from '../../profiler/recording-pause.ts'
import { collectionsOver, type Collection } from '../collections.ts'
import { TextPauseStore } from '../text-pause-store.ts'
import { writeConfirmed } from './confirmed-write.ts'
import { slotOf } from './key-slot.ts'
import { type RedisCommand, type RedisReply, type SendOptions, timeOf } from './redis-command.ts'
import type { RedisConnection } from './redis-connection.ts'
import { redisHashes } from './redis-hashes.ts'
import { RedisLockStore, lockKey } from './redis-lock-store.ts'
import { RedisPoll } from './redis-poll.ts'
import { hostname } from 'node:os'

export interface RedisShared {
  readonly lock: LockStore
  readonly pause: PauseStore
  readonly collection: (name: string) => Collection
  /** The processes that take part. Never rejects: `undefined` while they cannot be asked for. */
  members(): Promise<readonly FleetMember[] | undefined>
  close(): Promise<void>
}

/** `own`: what this process says of itself to the others; `undefined`: it takes no part. */
export function shareRedis(connection: RedisConnection, own: RedisMembersOptions | undefined): RedisShared {
  const poll = new RedisPoll(connection, slotOf(lockKey))
  const members = new RedisMembers(connection, own)
  return {
    lock: new RedisLockStore(connection, poll),
    pause: pauseStore(connection),
    collection: collectionsOver(connection.name, redisHashes(connection, poll)),
    members: () => members.list().catch(() => undefined),
    close: async () => {
      poll.close()
      await members.close()
      await connection.close()
    },
  }
}

/** In the slot of the lock. */
const pauseKey = 'fanlight:{lock}:pause'

function pauseStore(connection: RedisConnection): TextPauseStore {
  return new TextPauseStore({
    get: async () => {
      const [reply = null] = await connection.ask(pauseKey, [['get', pauseKey]])
      return reply === null || reply === '' ? null : String(reply)
    },
    set: async (text) => {
      await writeConfirmed(connection, { key: pauseKey, command: ['set', pauseKey, text ?? ''], isForced: true })
    },
  })
}

/** The key of the members: a sorted set of what they say as JSON, by the time they said it. */
const membersKey = 'fanlight:{members}'

/** How often a process says so, in milliseconds. */
const beatMs = 5000

/** How soon it tries again if it was not heard, in milliseconds. */
const retryMs = 1000

/** A member that was not heard of for this long is gone. */
const forgottenMs = 3 * beatMs

/** Nobody waits long for a process that ends. */
const leaving: SendOptions = { patienceMs: 200 }

/** Members that are read at most. */
const maxMembers = 1000

/** What changes from one beat to the next. */
type MemberCounts = Pick<FleetMember, 'held' | 'dropped'>

interface RedisMembersOptions {
  /** Version of the application; `null`: not named. */
  readonly version: string | null
  readonly counts: () => MemberCounts
}

class RedisMembers {
  readonly #connection: RedisConnection
  readonly #own: RedisMembersOptions | undefined
  #since: number | undefined
  #said: string | undefined
  #timer: NodeJS.Timeout | undefined

  /** Without options this process only reads. */
  constructor(connection: RedisConnection, own: RedisMembersOptions | undefined) {
    this.#connection = connection
    this.#own = own
    if (own !== undefined) this.#later(0)
  }

  /** The longest known first. Rejects while the store does not respond. */
  async list(): Promise<readonly FleetMember[]> {
    const now = await this.#time()
    const [said] = await this.#send([['zrangebyscore', membersKey, now - forgottenMs, '+inf', 'limit', 0, maxMembers]])
    // Of two that a broken connection has left of one process, the later one counts.
    const members = new Map<string, FleetMember>()
    for (const one of Array.isArray(said) ? said.flatMap((text) => parse(String(text))) : []) {
      members.set(`${one.host} ${one.pid} ${one.since}`, one)
    }
    return [...members.values()].sort((one, other) => one.since - other.since)
  }

  /** Takes this process off the list, as far as that goes at once. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    if (this.#said !== undefined) await this.#send([['zrem', membersKey, this.#said]], leaving).catch(() => undefined)
  }

  #later(ms: number): void {
    this.#timer = setTimeout(
      () => void this.#beat().then((isHeard) => this.#later(isHeard ? beatMs : retryMs)),
      ms,
    ).unref()
  }

  async #beat(): Promise<boolean> {
    try {
      const time = await this.#time()
      this.#since ??= time
      const { version = null, counts } = this.#own ?? {}
      const member = {
        host: hostname(),
        pid: process.pid,
        version,
        since: this.#since,
        time,
        held: 0,
        dropped: 0,
        ...counts?.(),
      }
      const said = JSON.stringify(member)
      const before: readonly RedisCommand[] = this.#said === undefined ? [] : [['zrem', membersKey, this.#said]]
      await this.#send([
        ...before,
        ['zadd', membersKey, time, said],
        ['zremrangebyscore', membersKey, '-inf', time - forgottenMs],
      ])
      this.#said = said
      return true
    } catch {
      // The status page says what cannot be reached.
      return false
    }
  }

  /** Milliseconds since 1970 by the clock of the store. */
  async #time(): Promise<number> {
    const [time] = await this.#send([['time']])
    return Math.floor(timeOf(time))
  }

  async #send(commands: readonly RedisCommand[], options?: SendOptions): Promise<readonly RedisReply[]> {
    return this.#connection.ask(membersKey, commands, options)
  }
}

function parse(said: string): FleetMember[] {
  try {
    return [JSON.parse(said) as FleetMember]
  } catch {
    return []
  }
}
