// Opens the engine whose stores live in Redis. The calling thread serves lock, collections and members; profiles have a thread, which
// starts with the first call for them.

import type { ProfileStoreStats } from '../profiles/profile-store.ts'
import { type EngineError, isEngineError } from '../profiles/stores/engine-error.ts'
import { type EngineOptions, resolveEngineOptions } from '../profiles/stores/engine-options.ts'
import type { Engine } from '../profiles/stores/engine.ts'
import { ProfileThread, startWorker, ThreadedProfileStore } from '../profiles/stores/thread/threaded-profile-store.ts'
import { loadSockets } from './ioredis.ts'
import { type SharedPartStates, heldCounts, makePartStates, pickPart, takesProfiles } from './part-states.ts'
import { endingOf, slotOf } from './partitions.ts'
import { isLate, type RedisCommand, type RedisReply, type SendOptions, timeOf } from './redis-command.ts'
import { parseRedisAddress } from './redis-address.ts'
import { RedisConnection } from './redis-connection.ts'
import type { RedisPlaceOptions } from './redis-place.ts'
import type { LockStore } from '../profiles/lock/lock-store.ts'
import type { FleetMember } from '../profiles/fleet-stats.ts'
import type { ErrorMarkStore } from '../profiles/known-errors/error-marks.ts'
import type { PauseStore } from '../profiles/recording-pause.ts'
import { collectionsOver, errorMarksOver, pauseOver, type Collection } from '../profiles/stores/collections.ts'
import { StoredLock } from '../profiles/stores/stored-lock.ts'
import { redisDocuments, redisLock, lockKey, RedisPoll } from './lock-and-collections.ts'
import { hostname } from 'node:os'

interface RedisEngineOptions extends EngineOptions {
  /** `redis://a:7001,b:7001` */
  readonly address: string
}

/** How long the start of an application waits for the store, in milliseconds. */
const openMs = 1000

/**
 * Returns the engine even while the store cannot be reached or refuses: it is tried again and again, `onWarning` of a member gets a line for
 * each reason, and calls reject with it. Rejects with an `EngineError` for an address that cannot be used and a missing package
 * (`ERR_STORE_URL`), and for a store of a newer version (`ERR_STORE_VERSION`).
 */
export async function openRedisEngine(options: RedisEngineOptions): Promise<Engine> {
  const { bounds, directory, onWarning, member } = resolveEngineOptions(options)
  const address = parseRedisAddress(options.address, directory)
  await loadSockets(address)
  const connection = new RedisConnection(address, {
    maxProfiles: bounds.maxCount,
    // A command hears of an outage from the call that fails.
    onWarning: member === undefined ? () => undefined : onWarning,
  })
  // A command has nothing else to do.
  await (member === undefined ? connection.opened : isLate(connection.opened, openMs))
  const refusal = refusalOf(connection)
  if (refusal?.code === 'ERR_STORE_VERSION') {
    await connection.close()
    throw refusal
  }
  const states = makePartStates()
  const place: RedisPlaceOptions = { address, bounds, states }
  const thread = new ProfileThread(
    address.name,
    (replies) => startWorker('redis-worker', import.meta.url, place, replies),
    onWarning,
  )
  const shared = shareRedis(connection, member && { ...member, counts: () => heldCounts(states) })
  return {
    name: address.name,
    profiles: new RedisProfileStore(address.name, thread, states, () => shared.members()),
    lock: shared.lock,
    pause: shared.pause,
    errorMarks: shared.errorMarks,
    collection: shared.collection,
    close: async () => {
      await Promise.all([thread.close(), shared.close()])
    },
  }
}

/** Why the store cannot be used now. */
function refusalOf(connection: RedisConnection): EngineError | undefined {
  try {
    connection.use()
    return undefined
  } catch (error) {
    return isEngineError(error) ? error : undefined
  }
}

/** How long new tokens end in the same letter, in milliseconds: so the profiles of a batch lie in one part, and all parts fill alike. */
const endingMs = 1000

class RedisProfileStore extends ThreadedProfileStore {
  readonly #states: SharedPartStates
  readonly #members: RedisShared['members']
  #part = 0
  #endsAt = 0

  constructor(name: string, thread: ProfileThread, states: SharedPartStates, members: RedisShared['members']) {
    super(name, thread)
    this.#states = states
    this.#members = members
  }

  newTokenEnding(): string {
    const now = performance.now()
    if (now >= this.#endsAt || !takesProfiles(this.#states, this.#part)) {
      this.#endsAt = now + endingMs
      this.#part = pickPart(this.#states)
    }
    return endingOf(this.#part)
  }

  override async stats(): Promise<ProfileStoreStats> {
    const [{ fleet, ...stats }, members] = await Promise.all([super.stats(), this.#members()])
    return { ...stats, ...(fleet !== undefined && { fleet: { ...fleet, ...(members && { members }) } }) }
  }
}

export interface RedisShared {
  readonly lock: LockStore
  readonly pause: PauseStore
  readonly errorMarks: ErrorMarkStore
  readonly collection: (name: string) => Collection
  /** The processes that take part. Never rejects: `undefined` while they cannot be asked for. */
  members(): Promise<readonly FleetMember[] | undefined>
  close(): Promise<void>
}

/** `own`: what this process says of itself to the others; `undefined`: it takes no part. */
export function shareRedis(connection: RedisConnection, own: RedisMembersOptions | undefined): RedisShared {
  const poll = new RedisPoll(connection, slotOf(lockKey))
  const members = new RedisMembers(connection, own)
  const documents = redisDocuments(connection, poll)
  return {
    lock: new StoredLock(connection.name, redisLock(connection, poll), documents),
    pause: pauseOver(connection.name, documents),
    errorMarks: errorMarksOver(connection.name, documents),
    collection: collectionsOver(connection.name, documents),
    members: () => members.list().catch(() => undefined),
    close: async () => {
      poll.close()
      await members.close()
      await connection.close()
    },
  }
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
