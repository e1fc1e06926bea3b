// Opens the engine whose stores live in Redis. The calling thread serves lock and collections; profiles have a thread, which starts
// with the first call for them.

import { EngineError, isEngineError } from '../stores/engine-error.ts'
import { type EngineOptions, resolveEngineOptions, type Engine } from '../stores/engine.ts'
import { ProfileThread, startWorker, ThreadedProfileStore } from '../stores/thread/threaded-profile-store.ts'
import {
  loadSockets,
  pairsOf,
  timeOf,
  toEngineError,
  RedisFailure,
  isPassing,
  untilReplaced,
  accepted,
  infoOf,
  failureOf,
} from './redis-command.ts'
import type { RedisReply, RedisCommand } from './redis-command.ts'
import { endingOf, slotOf } from './partitions.ts'
import { isLate } from '../http/kernel/within-budget.ts'
import { parseRedisAddress } from './redis-address.ts'
import { RedisConnection } from './redis-connection.ts'
import type { RedisPlaceOptions } from './redis-place.ts'
import { recordsOver, versionField, type Documents } from '../stores/collections.ts'
import { StoredLock, type LockPlace } from '../stores/stored-lock.ts'
import type { LockState } from '../profiles/lock.ts'
import { isOlder, checkLockState, openLock, refuseLock } from '../stores/lock/lock-members.ts'
import type { RedisClient } from './redis-client.ts'

interface RedisEngineOptions extends EngineOptions {
  /** `redis://a:7001,b:7001` */
  readonly address: string
}

/** How long the start of an application waits for the store, in milliseconds. */
const openMs = 1000

/**
 * Returns the engine even while the store cannot be reached or refuses: it is tried again and again, `onWarning` of one that serves gets a line for
 * each reason, and calls reject with it. Rejects with an `EngineError` for an address that cannot be used and a missing package
 * (`ERR_STORE_URL`), and for a store of a newer version (`ERR_STORE_VERSION`).
 */
export async function openRedisEngine(options: RedisEngineOptions): Promise<Engine> {
  const { bounds, directory, onWarning, isServing, isPatient } = resolveEngineOptions(options)
  const address = parseRedisAddress(options.address, directory)
  await loadSockets(address)
  const connection = new RedisConnection(address, {
    maxProfiles: bounds.maxCount,
    isPatient,
    // A command hears of an outage from the call that fails.
    onWarning: isServing ? onWarning : () => undefined,
  })
  // A command has nothing else to do.
  await (isServing ? isLate(connection.opened, openMs) : connection.opened)
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
  return {
    name: address.name,
    profiles: new RedisProfileStore(connection, thread),
    lock: new StoredLock(address.name, redisLock(connection, poll), documents),
    ...recordsOver(address.name, documents),
    close: async () => {
      poll.close()
      await thread.close()
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
  #ending = ''
  #endsAt = 0

  constructor(connection: RedisConnection, thread: ProfileThread) {
    super(connection.name, thread)
    this.#connection = connection
  }

  newTokenEnding(): string {
    const now = performance.now()
    if (now >= this.#endsAt) {
      this.#endsAt = now + endingMs
      this.#ending = endingOf(Math.floor(Math.random() * this.#connection.partitions))
    }
    return this.#ending
  }
}

/** The key of the lock: its state as JSON. */
export const lockKey = 'fanlight:{lock}'

/** Replaces a text by another one, unless there is a third one meanwhile. `''`: there is none. */
const replaceScript = `if (redis.call('get', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('set', KEYS[1], ARGV[2])
return 1`

export function redisLock(connection: RedisConnection, poll: RedisPoll): LockPlace {
  const { name } = connection
  const ask = async (command: RedisCommand): Promise<RedisReply> =>
    (await connection.ask(lockKey, [command]))[0] ?? null
  const parse = (reply: RedisReply): LockState => {
    if (reply === null) return openLock
    try {
      return checkLockState(name, JSON.parse(String(reply)) as LockState)
    } catch (error) {
      // The text may hold the key of links.
      if (error instanceof SyntaxError || error instanceof TypeError)
        refuseLock(name, 'key', lockKey, 'a JSON object in it')
      throw error
    }
  }
  return {
    read: async () => parse(await ask(['get', lockKey])),
    /** Counts once a replica has it. Rejects with an `EngineError` that says why it may be lost. */
    write: async (state, { isForced = false } = {}) => {
      const command = ['set', lockKey, JSON.stringify(state)] as const
      await writeConfirmed(connection, { key: lockKey, command, isForced })
    },
    /** Not confirmed: a process that remembers it writes it again. If somebody was faster, the next look tells. */
    restore: async (state) => {
      const stored = await ask(['get', lockKey])
      if (!isOlder(parse(stored), state)) return false
      return (await ask(['eval', replaceScript, 1, lockKey, String(stored ?? ''), JSON.stringify(state)])) === 1
    },
    poll: (take, fail) =>
      poll.add({
        command: ['get', lockKey],
        take: (reply) => {
          try {
            take(parse(reply))
          } catch (error) {
            fail(error)
          }
        },
        fail,
      }),
  }
}

export const hashKey = (name: string): string => `${lockKey}:${name}`

/** ARGV: the expected version, `*` for any and `''` for none, then fields and texts, the new version first, `''` for one that goes. It may be sent twice. */
const setScript = `local version = redis.call('hget', KEYS[1], '${versionField}') or ''
if ARGV[2] == '${versionField}' and version == ARGV[3] then return 1 end
if ARGV[1] ~= '*' and ARGV[1] ~= version then return 0 end
for at = 2, #ARGV, 2 do
  if ARGV[at + 1] == '' then redis.call('hdel', KEYS[1], ARGV[at])
  else redis.call('hset', KEYS[1], ARGV[at], ARGV[at + 1]) end
end
return 1`

const textOf = (reply: RedisReply): string | null => (reply === null ? null : String(reply))

export function redisDocuments(connection: RedisConnection, poll: RedisPoll): Required<Documents> {
  const ask = async (name: string, command: (key: string) => RedisCommand): Promise<RedisReply> => {
    const key = hashKey(name)
    const [reply = null] = await connection.ask(key, [command(key)])
    return reply
  }
  return {
    get: async (name, field) => textOf(await ask(name, (key) => ['hget', key, field])),
    getAll: async (name) => pairsOf(await ask(name, (key) => ['hgetall', key])),
    set: async (name, fields, { expected, care } = {}) => {
      const key = hashKey(name)
      const texts = fields.flatMap(([field, text]) => [field, text ?? ''])
      const command = ['eval', setScript, 1, key, expected === undefined ? '*' : (expected ?? ''), ...texts] as const
      if (care === 'none') return (await ask(name, () => command)) === 1
      return (await writeConfirmed(connection, { key, command, isForced: care === 'primary' })) === 1
    },
    add: async (name, field, count) => void (await ask(name, (key) => ['hincrby', key, field, count])),
    poll: (name, take, fail) =>
      poll.add({
        command: ['hget', hashKey(name), versionField],
        take: (reply) => take(textOf(reply)),
        fail,
      }),
    now: async () => {
      const [time] = await connection.ask(lockKey, [['time']])
      return Math.floor(timeOf(time))
    },
  }
}

/** Milliseconds between two looks, on average: what others change is known within a second. */
const everyMs = 500

/** How long one look may take, in milliseconds. */
const lookMs = 1000

interface Question {
  readonly command: RedisCommand
  take(reply: RedisReply): void
  /** Gets an `EngineError`. */
  fail(error: unknown): void
}

export class RedisPoll {
  readonly #connection: RedisConnection
  readonly #slot: number
  readonly #questions = new Set<Question>()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  /** All questions are about keys of one slot. */
  constructor(connection: RedisConnection, slot: number) {
    this.#connection = connection
    this.#slot = slot
  }

  /** Asks from now on, at once first. Returns what ends it. */
  add(question: Question): () => void {
    this.#questions.add(question)
    if (this.#questions.size === 1) this.#again(0)
    return () => {
      this.#questions.delete(question)
      if (this.#questions.size === 0) clearTimeout(this.#timer)
    }
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #again(ms: number): void {
    clearTimeout(this.#timer)
    if (this.#isClosed) return
    this.#timer = setTimeout(() => void this.#look().finally(() => this.#next()), ms).unref()
  }

  /** Processes that started together spread. */
  #next(): void {
    if (this.#questions.size > 0) this.#again(everyMs * (0.8 + 0.4 * Math.random()))
  }

  async #look(): Promise<void> {
    const questions = [...this.#questions]
    try {
      const { client } = this.#connection.use()
      const commands = questions.map(({ command }) => command)
      const replies = await client.send(this.#slot, commands, { patienceMs: lookMs })
      for (const [index, { take, fail }] of questions.entries()) {
        const reply = replies[index] ?? null
        if (reply instanceof RedisFailure) fail(toEngineError(reply, this.#connection.name))
        else take(reply)
      }
    } catch (thrown) {
      for (const { fail } of questions) fail(toEngineError(thrown, this.#connection.name))
    }
  }
}

/** How long a replica may take, in milliseconds. */
const replicaMs = 500

/** How long one attempt may take. */
const attemptMs = 1500

/** The node is being replaced, or a replica was slow. */
const worthAnother: ReadonlySet<string> = new Set(['DOWN', 'CLOSED', 'TIMEOUT', 'NOREPLICAS', 'READONLY', 'UNBLOCKED'])

/** What became of a write that failed, the least of it first. */
const outcomes = [
  'Nothing was changed.',
  'The change may be in force.',
  'The change is in force, but is lost with that node.',
]

interface ConfirmedWrite {
  /** Where it is written. */
  readonly key: string
  /** Of this key. It may be sent twice. */
  readonly command: RedisCommand
  /** Whether one node is enough. Default: no. */
  readonly isForced?: boolean
}

/** What the command gives. Rejects with an `EngineError` that says why it may be lost or was refused, and whether it counts nevertheless. */
export async function writeConfirmed(
  connection: RedisConnection,
  write: ConfirmedWrite,
): Promise<RedisReply | undefined> {
  let outcome = 0
  const attempt = async () =>
    writeOnce(connection.use().client, write, (reached) => (outcome = Math.max(outcome, reached)))
  try {
    return await untilReplaced(attempt, mayPass)
  } catch (thrown) {
    const { code, message } = toEngineError(thrown, connection.name)
    throw new EngineError(code, `${message} ${outcomes[outcome]}`)
  }
}

async function writeOnce(
  client: RedisClient,
  { key, command, isForced = false }: ConfirmedWrite,
  reach: (outcome: number) => void,
): Promise<RedisReply | undefined> {
  const slot = slotOf(key)
  // In the slot of the key: the primary whose replica was there at the last write.
  const nodeKey = `${key.slice(0, key.indexOf('}') + 1)}:node`
  const [info, nodeBefore] = accepted(
    await client.send(
      slot,
      [
        ['info', 'replication'],
        ['get', nodeKey],
      ],
      { patienceMs: attemptMs },
    ),
  )
  const node = client.primaryOf(slot) ?? ''
  const hasReplica = infoOf(info)('connected_slaves') !== '0'
  // A primary without replicas would still wait for one, and delay other commands.
  const more: readonly RedisCommand[] = hasReplica
    ? [
        ['set', nodeKey, node],
        ['wait', 1, replicaMs],
      ]
    : []
  const sent = await client.send(slot, [command, ...more], { patienceMs: attemptMs }).catch((thrown: unknown) => {
    if (failureOf(thrown).code !== 'DOWN') reach(1)
    throw thrown
  })
  const replies = accepted(sent)
  reach(2)
  if (isForced) return replies[0]
  if (hasReplica ? Number(replies[2]) > 0 : await isAlone(client, slot, String(nodeBefore ?? '') === node))
    return replies[0]
  const why = hasReplica ? `no replica has confirmed the write within ${replicaMs} ms` : `${node} has lost its replica`
  throw new RedisFailure('NOREPLICAS', `${why}, so it may be lost`)
}

/**
 * Whether a primary without replicas is one for the other primaries, too, and no node could take its place: one that was replaced may not
 * know it yet, and a replica that has lost touch takes over without the write.
 */
async function isAlone(client: RedisClient, slot: number, hadReplica: boolean): Promise<boolean> {
  const node = client.primaryOf(slot)
  const primaries = client.primaries()
  const seen = await Promise.allSettled(primaries.map((name) => client.slotsSeenBy(name)))
  const views = seen.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const isAgreed = views.every(({ owners, backed }) => owners[slot] === node && !backed.has(node ?? ''))
  return isAgreed && !hadReplica && views.length > Math.min(1, primaries.length - 1)
}

function mayPass(thrown: unknown): boolean {
  if (isEngineError(thrown)) return thrown.code === 'ERR_STORE_UNAVAILABLE'
  const failure = failureOf(thrown)
  return worthAnother.has(failure.code) || isPassing(failure)
}
