// Copies profiles from one store to another through the port alone: the oldest first, each once, as many as fit.

import { setTimeout } from 'node:timers/promises'
import { isProfileRefusedError } from '../profiler/profile-refused-error.ts'
import type { ProfileStore, ProfileStoreStats } from '../profiler/profile-store.ts'
import type { Profile } from '../profiler/profile.ts'
import { EngineError } from './engine-error.ts'

/** What became of the profiles of a store that was copied. */
export interface MovedProfiles {
  /** In the store that was read. */
  readonly found: number
  readonly moved: number
  /** Were in the other store before. */
  readonly known: number
  /** Left out because they are older than some that were in the other store: there they would look newer. */
  readonly passed: number
  /** Left out because the other store does not keep profiles that long. */
  readonly tooOld: number
  /** Left out because the other store has no room; the oldest ones. */
  readonly noRoom: number
  /** Not taken by the other store, each with its reason. */
  readonly refused: readonly RefusedProfile[]
  /** Gone, or damaged, by the time they were read. */
  readonly unreadable: number
  /** Moved, and gone again: the other store made room meanwhile. */
  readonly evicted: number
}

interface RefusedProfile {
  readonly token: string
  readonly reason: string
}

interface MoveOptions {
  /** Called after each batch. */
  readonly onProgress: (done: number, total: number) => void
  /** Ends the work after the batch of now. */
  readonly signal: AbortSignal
  /** Wall clock, milliseconds since 1970. */
  readonly now: number
  /** How long a part of the other store may fail to take profiles, in milliseconds. Default: 30,000. */
  readonly patienceMs?: number
}

/** The work was ended; the same call continues where it stopped. */
export class MoveStoppedError extends Error {
  readonly done: number
  readonly total: number

  constructor(done: number, total: number) {
    super(`stopped after ${done} of ${total} profiles`)
    this.done = done
    this.total = total
  }
}

/** Profiles that are read and written at a time. */
const batchSize = 64

const pageLength = 200

interface Listed {
  readonly token: string
  readonly time: number
  readonly isKeptLonger: boolean
}

/**
 * Copies what `to` does not have and can keep. Rejects before anything is written when a part of either store cannot be reached, with a
 * `MoveStoppedError` when it was ended, and with what the stores reject with.
 */
export async function moveProfiles(from: ProfileStore, to: ProfileStore, options: MoveOptions): Promise<MovedProfiles> {
  const found = await listAll(from)
  const before = new Set((await listAll(to)).map(({ token }) => token))
  const isKnown = ({ token }: Listed): boolean => before.has(token)
  const newestKnown = found.findIndex(isKnown)
  // After an interrupted batch, some profiles may be there and earlier ones not.
  const ahead = newestKnown < 0 ? found : found.slice(0, newestKnown + batchSize)
  const unknown = ahead.filter((one) => !isKnown(one))
  const [source, target] = [await from.stats(), await to.stats()]
  const { fresh, room } = whatFits(source, target, unknown, options.now)
  const droppedBefore = target.fleet?.dropped ?? 0
  const wanted = fresh.slice(0, room).reverse()
  const written: string[] = []
  const refused: RefusedProfile[] = []
  const knownBefore = found.filter(isKnown).length
  let known = knownBefore
  let done = 0
  let unreadable = 0
  let next = read(from, wanted.slice(0, batchSize))
  while (done < wanted.length) {
    if (options.signal.aborted) throw new MoveStoppedError(done, wanted.length)
    const profiles = await next
    const size = Math.min(batchSize, wanted.length - done)
    done += size
    unreadable += size - profiles.length
    next = read(from, wanted.slice(done, done + batchSize))
    // Awaited in the next turn, if there is one.
    next.catch(() => undefined)
    for (const batch of batchesFor(to, profiles)) {
      const outcome = await write(to, batch)
      written.push(...outcome.written)
      refused.push(...outcome.refused)
      known += outcome.known
    }
    await untilStored(to, droppedBefore, options)
    options.onProgress(done, wanted.length)
  }
  const kept = new Set(written.length === 0 ? [] : (await listAll(to)).map(({ token }) => token))
  return {
    found: found.length,
    moved: written.length,
    known,
    passed: found.length - knownBefore - unknown.length,
    tooOld: unknown.length - fresh.length,
    noRoom: fresh.length - wanted.length,
    refused,
    unreadable,
    evicted: written.filter((token) => !kept.has(token)).length,
  }
}

/** Every profile, the newest first. */
async function listAll(store: ProfileStore): Promise<readonly Listed[]> {
  const found: Listed[] = []
  let after: string | null = null
  do {
    const page = { limit: pageLength, ...(after === null ? {} : { after }) }
    const { items, next, missing } = await store.find({ withSubRequests: true }, page)
    if (missing !== undefined) {
      const parts = `${missing.parts} of ${missing.of} parts of the store "${store.name}" cannot be reached`
      throw new EngineError('ERR_STORE_UNAVAILABLE', `${parts}; no profile was moved.`)
    }
    for (const { token, time, findings } of items) found.push({ token, time, isKeptLonger: findings.length > 0 })
    after = next
  } while (after !== null)
  return found
}

/** Those that are not too old for a store, and how many of them it has room for without letting go of what it has. */
function whatFits(
  source: ProfileStoreStats,
  target: ProfileStoreStats,
  newestFirst: readonly Listed[],
  now: number,
): { readonly fresh: readonly Listed[]; readonly room: number } {
  const longest = target.longer?.maxAgeMs ?? target.maxAgeMs
  const fresh = newestFirst.filter(({ time, isKeptLonger }) => time >= now - (isKeptLonger ? longest : target.maxAgeMs))
  const bytesEach = source.count === 0 ? 0 : source.bytes / source.count
  const roomByBytes = bytesEach === 0 ? Infinity : Math.floor((target.maxBytes - target.bytes) / bytesEach)
  return { fresh, room: Math.max(0, Math.min(target.maxCount - target.count, roomByBytes)) }
}

/** A store of several parts holds what one of them cannot take, and tries again. Rejects when that lasts too long. */
async function untilStored(
  to: ProfileStore,
  droppedBefore: number,
  { signal, patienceMs = 30_000 }: MoveOptions,
): Promise<void> {
  if (to.newTokenEnding === undefined) return
  for (const deadline = performance.now() + patienceMs; ;) {
    const { fleet } = await to.stats()
    if (fleet === undefined) return
    const { held, dropped, outage } = fleet
    if (held === 0 && dropped === droppedBefore) return
    if (dropped > droppedBefore || signal.aborted || performance.now() > deadline) {
      const reason = outage?.reason ?? 'a part of it does not respond.'
      throw new EngineError('ERR_STORE_UNAVAILABLE', `The store "${to.name}" does not take all profiles: ${reason}`)
    }
    await setTimeout(100)
  }
}

async function read(store: ProfileStore, listed: readonly Listed[]): Promise<readonly Profile[]> {
  const profiles = await Promise.all(listed.map(({ token }) => store.read(token)))
  return profiles.filter((profile) => profile !== undefined)
}

/** Only within a part of a store the order of a batch is kept; the last letter of a token names the part. */
function batchesFor(to: ProfileStore, profiles: readonly Profile[]): readonly (readonly Profile[])[] {
  if (to.newTokenEnding === undefined) return [profiles]
  const batches: Profile[][] = []
  for (const profile of profiles) {
    const last = batches.at(-1)
    if (last?.[0]?.token.at(-1) === profile.token.at(-1)) last?.push(profile)
    else batches.push([profile])
  }
  return batches
}

interface Outcome {
  readonly written: readonly string[]
  readonly refused: readonly RefusedProfile[]
  readonly known: number
}

/** Writes a batch without what the store refuses. */
async function write(to: ProfileStore, batch: readonly Profile[]): Promise<Outcome> {
  const refused: RefusedProfile[] = []
  let known = 0
  let left = batch
  while (left.length > 0) {
    try {
      await to.write(left)
      break
    } catch (error) {
      if (!isProfileRefusedError(error)) throw error
      const tokens = new Set(error.tokens)
      const rest = left.filter(({ token }) => !tokens.has(token))
      if (rest.length === left.length) throw error
      for (const token of tokens) {
        // An interrupted write may have arrived, and another process may move the same.
        if ((await to.read(token)) === undefined) refused.push({ token, reason: error.reason })
        else known += 1
      }
      left = rest
    }
  }
  return { written: left.map(({ token }) => token), refused, known }
}
