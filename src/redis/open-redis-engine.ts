// Opens the engine whose stores live in Redis. The calling thread serves lock, collections and members; profiles have a thread, which
// starts with the first call for them.

import type { FleetMember, ProfileStoreStats } from '../profiles/profile-store.ts'
import { type EngineError, isEngineError } from '../stores/engine-error.ts'
import { type EngineOptions, resolveEngineOptions } from '../stores/engine-options.ts'
import type { Engine } from '../stores/engine.ts'
import { ProfileThread, startWorker, ThreadedProfileStore } from '../stores/thread/threaded-profile-store.ts'
import { loadSockets } from './ioredis.ts'
import { endingOf, slotOf } from './partitions.ts'
import { isLate } from './redis-command.ts'
import { parseRedisAddress } from './redis-address.ts'
import { RedisConnection } from './redis-connection.ts'
import type { RedisPlaceOptions } from './redis-place.ts'
import { collectionsOver, errorMarksOver, pauseOver, type Documents } from '../stores/collections.ts'
import { StoredLock } from '../stores/stored-lock.ts'
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
  const { bounds, directory, onWarning, member, isPatient } = resolveEngineOptions(options)
  const address = parseRedisAddress(options.address, directory)
  await loadSockets(address)
  const connection = new RedisConnection(address, {
    maxProfiles: bounds.maxCount,
    isPatient,
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
  const place: RedisPlaceOptions = { address, bounds }
  const thread = new ProfileThread(
    address.name,
    (replies) => startWorker('redis-worker', import.meta.url, place, replies),
    onWarning,
  )
  const poll = new RedisPoll(connection, slotOf(lockKey))
  const documents = redisDocuments(connection, poll)
  const members = new RedisMembers(documents, member)
  return {
    name: address.name,
    profiles: new RedisProfileStore(connection, thread, members),
    lock: new StoredLock(address.name, redisLock(connection, poll), documents),
    pause: pauseOver(address.name, documents),
    errorMarks: errorMarksOver(address.name, documents),
    collection: collectionsOver(address.name, documents),
    close: async () => {
      poll.close()
      await Promise.all([thread.close(), members.close()])
      await connection.close()
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
  readonly #connection: RedisConnection
  readonly #members: RedisMembers
  #ending = ''
  #endsAt = 0

  constructor(connection: RedisConnection, thread: ProfileThread, members: RedisMembers) {
    super(connection.name, thread)
    this.#connection = connection
    this.#members = members
  }

  newTokenEnding(): string {
    const now = performance.now()
    if (now >= this.#endsAt) {
      this.#endsAt = now + endingMs
      this.#ending = endingOf(Math.floor(Math.random() * this.#connection.partitions))
    }
    return this.#ending
  }

  override async stats(): Promise<ProfileStoreStats> {
    const [{ fleet, ...stats }, members] = await Promise.all([super.stats(), this.#members.list()])
    return { ...stats, ...(fleet !== undefined && { fleet: { ...fleet, ...(members && { members }) } }) }
  }
}

/** Where each process says that it takes part, by machine and process. */
const membersHash = '@members'

/** How often a process says so, in milliseconds. */
const beatMs = 5000

/** How soon it tries again if it was not heard, in milliseconds. */
const retryMs = 1000

/** A member that was not heard of for this long is gone. */
const forgottenMs = 3 * beatMs

/** Nobody waits long for a process that ends. */
const leaveMs = 200

/** The next one has what is lost. */
const lightly = { care: 'none' } as const

class RedisMembers {
  readonly #documents: Required<Documents>
  readonly #own: EngineOptions['member']
  readonly #name = `${hostname()} ${process.pid}`
  #since: number | undefined
  #timer: NodeJS.Timeout | undefined

  /** Without `own` this process only reads. */
  constructor(documents: Required<Documents>, own: EngineOptions['member']) {
    this.#documents = documents
    this.#own = own
    if (own !== undefined) this.#later(0)
  }

  /** The longest known first; `undefined` while the store does not respond. Forgets those that were killed. */
  async list(): Promise<readonly FleetMember[] | undefined> {
    try {
      const [now, said] = await Promise.all([this.#documents.now(), this.#documents.getAll(membersHash)])
      const members = said.map(([name, json]) => ({ name, member: JSON.parse(json) as FleetMember }))
      const { known = [], gone = [] } = Object.groupBy(members, ({ member }) =>
        Math.abs(now - member.time) < forgottenMs ? 'known' : 'gone',
      )
      if (gone.length > 0)
        await this.#documents.set(
          membersHash,
          gone.map(({ name }) => [name, null]),
          lightly,
        )
      return known.map(({ member }) => member).sort((one, other) => one.since - other.since)
    } catch {
      return undefined
    }
  }

  /** Takes this process off the list, as far as that goes at once. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    if (this.#since === undefined) return
    const leaving = this.#documents.set(membersHash, [[this.#name, null]], lightly).catch(() => undefined)
    await isLate(leaving, leaveMs)
  }

  #later(ms: number): void {
    const beat = (): void => void this.#beat().then((isHeard) => this.#later(isHeard ? beatMs : retryMs))
    this.#timer = setTimeout(beat, ms).unref()
  }

  async #beat(): Promise<boolean> {
    try {
      const time = await this.#documents.now()
      this.#since ??= time
      const { version = null } = this.#own ?? {}
      const member: FleetMember = { host: hostname(), pid: process.pid, version, since: this.#since, time }
      return await this.#documents.set(membersHash, [[this.#name, JSON.stringify(member)]], lightly)
    } catch {
      // The status page says what cannot be reached.
      return false
    }
  }
}
