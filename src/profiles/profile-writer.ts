// A bounded queue in front of a profile store: requests hand their profiles over and go on, the store gets batches. What the
// store cannot take is counted and said once, never felt by a request.

import { performance, clearTimeout, setTimeout } from '../base/timing/builtins.ts'
import type { Assembler, AssemblyOptions } from './assemble-profile.ts'
import type { OwnCost } from './sampling/sampler.ts'
import type { Profile } from '../observe/profile.ts'
import { type ProfileStore, isProfileRefusedError, takenToken } from './profile-store.ts'
import type { RequestRecord } from '../observe/request-record.ts'
import type { Log } from '../base/log/logger.ts'
import { approximateSize } from '../http/recording/approximate-size.ts'
import {
  profileQueueDrained,
  profileQueueFull,
  profilesLost,
  profileStorePaused,
  profileStoreResumed,
} from '../base/log/lines.ts'
import { waitAtMost, withinBudget } from '../http/kernel/within-budget.ts'

/** What the queue takes: a record as the JSON of it, which outlives many collections at less cost than its objects. */
type Waiting = Profile | PackedRecord

interface PackedRecord {
  readonly token: string
  readonly json: string
}

export interface ProfileAssembly extends Assembler {
  /** For stores that make the profiles themselves. Without it, all are made in place. */
  readonly options?: AssemblyOptions
}

/** Needed to write a batch. */
interface BatchTools {
  readonly store: ProfileStore
  /** Needed for records. */
  readonly assembly?: ProfileAssembly | undefined
  /** Adds up the time in the main thread. */
  readonly cost?: OwnCost | undefined
}

/** What waits in place of a record: its profile, if the store makes none. */
function packed(given: Profile | RequestRecord, { store, assembly }: BatchTools): Waiting {
  if ('data' in given) return given
  return isAssembling(store) && assembly?.options !== undefined
    ? { token: given.token, json: jsonOf(given) }
    : assembled(given, assembly)
}

/** The profile of an entry, made now if it is a record. */
function profileOf(waiting: Waiting, assembly: ProfileAssembly | undefined): Profile {
  return isRecord(waiting) ? assembled(JSON.parse(waiting.json) as RequestRecord, assembly) : waiting
}

function assembled(record: RequestRecord, assembly: ProfileAssembly | undefined): Profile {
  if (assembly === undefined) throw new TypeError('A record cannot become a profile without an assembly')
  return assembly.assemble(record)
}

/** Writes a batch, all or nothing. Rejects as the store does. */
async function writeBatch(batch: readonly Waiting[], { store, assembly, cost }: BatchTools): Promise<void> {
  const startedMs = performance.now()
  const options = assembly?.options
  const writing =
    options !== undefined && isAssembling(store) && batch.every(isRecord)
      ? store.writeRecords(
          batch.map(({ json }) => json),
          options,
        )
      : store.write(batch.map((waiting) => profileOf(waiting, assembly)))
  cost?.add(startedMs)
  return writing
}

function jsonOf(record: RequestRecord): string {
  try {
    return JSON.stringify(record)
  } catch (thrown) {
    // A listener of the application kept something else.
    const note = { source: 'recording', message: `failed: what was kept is not JSON: ${String(thrown).slice(0, 300)}` }
    return JSON.stringify({ ...record, params: {}, parts: {}, notes: [...record.notes, note] })
  }
}

function isRecord(waiting: Waiting): waiting is PackedRecord {
  return 'json' in waiting
}

/** Approximate bytes that an entry takes. */
function sizeOf(waiting: Waiting, limit: number): number {
  return isRecord(waiting) ? waiting.json.length : approximateSize(waiting, limit)
}

/** What a writer works with; everything but the store has a default. */
export interface ProfileWriterOptions {
  readonly store: ProfileStore
  /** How records become profiles. Default: only profiles are taken. */
  readonly assembly?: ProfileAssembly | undefined
  /** Called once per change of state. Default: nothing. */
  readonly log?: Log
  /** Adds up what handing over costs the main thread. Default: nobody does. */
  readonly cost?: OwnCost
  /** Profiles that wait at most; beyond it the oldest waiting one is dropped. Default 1000. */
  readonly maxQueued?: number
  /** Bytes of waiting profiles at most, counted nearly. Default 64 MB. */
  readonly maxQueuedBytes?: number
  /** Profiles of one batch while the store keeps up, and a quarter of what a batch takes of a queue that grows. Default 64. */
  readonly batchSize?: number
  /** How long the first profile of a batch waits for company, in milliseconds. Default 50. */
  readonly batchDelayMs?: number
  /** Failures in a row after which the store is left alone. Default 5. */
  readonly failuresBeforePause?: number
  /** How long it is left alone, in milliseconds. Default 10,000. */
  readonly pauseMs?: number
  /** How long the store may take for one call, in milliseconds. Default 8,000. */
  readonly callBudgetMs?: number
  /** Called with the tokens of profiles that the store has written. Default: nothing. */
  readonly onWritten?: ((tokens: readonly string[]) => void) | undefined
}

const profileWriterDefaults: Required<Omit<ProfileWriterOptions, 'store' | 'assembly' | 'log' | 'cost' | 'onWritten'>> =
  {
    maxQueued: 1000,
    maxQueuedBytes: 64 * 1024 * 1024,
    batchSize: 64,
    batchDelayMs: 50,
    failuresBeforePause: 5,
    pauseMs: 10_000,
    callBudgetMs: 8000,
  }

export interface AssemblingStore extends ProfileStore {
  /** As `write`, for records, each as JSON. */
  writeRecords(records: readonly string[], options: AssemblyOptions): Promise<void>
}

function isAssembling(store: ProfileStore): store is AssemblingStore {
  return 'writeRecords' in store && typeof store.writeRecords === 'function'
}

/** What became of the profiles so far. */
export interface ProfileWriterStats {
  readonly queued: number
  /** Approximate, see `approximateSize`. */
  readonly queuedBytes: number
  readonly written: number
  /** Lost to a bound of the queue, or at close. */
  readonly dropped: number
  /** Refused by the store: a token that exists, data that is not JSON. */
  readonly refused: number
  /** Batches that failed. */
  readonly failures: number
  readonly isPaused: boolean
}

interface Entry {
  readonly waiting: Waiting
  /** Approximate. */
  readonly bytes: number
  /** Whether a write with it failed before: it may have been stored anyway. */
  wasTried: boolean
}

/** Batches of a growing queue are larger by this factor. */
const batchGrowth = 4

/** Approximate bytes beyond which a batch does not grow. */
const maxGrownBytes = 4 * 1024 * 1024

/** First wait after a failure, in milliseconds; doubled with each further one until the pause. */
const retryMs = 100

export class ProfileWriter {
  readonly #options: typeof profileWriterDefaults & Omit<ProfileWriterOptions, 'log'>
  readonly #log: Log | undefined
  /** What waits, oldest first. */
  #queue = new Map<string, Entry>()
  /** What the store is writing now. */
  #batch: ReadonlyMap<string, Entry> = new Map()
  #bytes = 0
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()
  #isRunning = false
  #failuresInRow = 0
  /** `dropped` when the queue overflowed or the store was paused, for the line that ends that state. */
  #droppedBeforeFull: number | undefined
  #droppedBeforePause = 0
  #isClosed = false
  readonly #counts = { written: 0, dropped: 0, refused: 0, failures: 0 }

  constructor({ log, ...options }: ProfileWriterOptions) {
    this.#log = log
    this.#options = { ...profileWriterDefaults, ...options }
  }

  /** Takes what becomes a profile; returns at once and never throws. A token that waits already is refused (counted). */
  enqueue(given: Profile | RequestRecord): void {
    if (this.#isClosed) return void this.#counts.dropped++
    if (this.#queue.has(given.token) || this.#batch.has(given.token)) return void this.#counts.refused++
    const waiting = packed(given, this.#options)
    const bytes = sizeOf(waiting, this.#options.maxQueuedBytes + 1)
    this.#bytes += bytes
    this.#queue.set(waiting.token, { waiting, bytes, wasTried: false })
    const { maxQueued, maxQueuedBytes, batchSize, batchDelayMs } = this.#options
    if (this.#queue.size + this.#batch.size > maxQueued || this.#bytes > maxQueuedBytes) this.#dropBeyondBounds()
    if (this.#isRunning || this.#failuresInRow > 0) return
    if (this.#queue.size >= batchSize) void this.#start()
    else this.#timer ??= setTimeout(this.#start, batchDelayMs).unref()
  }

  /** The profile of a token: one that waits is made now, else what the store has. Rejects when the store fails or is too slow. */
  async read(token: string): Promise<Profile | undefined> {
    const entry = this.#queue.get(token) ?? this.#batch.get(token)
    if (entry !== undefined) return profileOf(entry.waiting, this.#options.assembly)
    const { store, callBudgetMs } = this.#options
    return withinBudget(store.read(token), callBudgetMs, this.#late)
  }

  /** Ends when everything that waits is written, or at the first failure: what the store did not take keeps waiting. */
  async flush(): Promise<void> {
    if (!this.#isPaused) await this.#drain()
  }

  /** Hands everything that waits to the store at once, for the end of a process: nobody hears what becomes of it. */
  handOver(): void {
    const batch = [...this.#queue.values()].map(({ waiting }) => waiting)
    this.#queue.clear()
    if (batch.length > 0) void writeBatch(batch, this.#options).catch(() => undefined)
  }

  /** Writes what waits and stops. After the deadline (milliseconds), or when the store fails, the rest is dropped and counted. */
  async close(deadlineMs: number): Promise<void> {
    this.#isClosed = true
    await waitAtMost(this.#drain(), deadlineMs)
    clearTimeout(this.#timer)
    const lost = this.#queue.size + this.#batch.size
    if (lost === 0) return
    for (const { bytes } of this.#queue.values()) this.#bytes -= bytes
    this.#queue.clear()
    this.#counts.dropped += lost
    this.#log?.write(profilesLost({ store: this.#options.store.name, lost }))
  }

  get stats(): ProfileWriterStats {
    const queued = this.#queue.size + this.#batch.size
    return { queued, queuedBytes: this.#bytes, ...this.#counts, isPaused: this.#isPaused }
  }

  /** Whether what can wait should not be added: it would push out what waits already. */
  get isHalfFull(): boolean {
    const { maxQueued, maxQueuedBytes } = this.#options
    return this.#queue.size + this.#batch.size > maxQueued / 2 || this.#bytes > maxQueuedBytes / 2
  }

  get #isPaused(): boolean {
    return this.#failuresInRow >= this.#options.failuresBeforePause
  }

  async #drain(): Promise<void> {
    const failures = this.#counts.failures
    while (this.#queue.size + this.#batch.size > 0 && this.#counts.failures === failures) await this.#start()
  }

  /** Writes, unless it does already. */
  readonly #start = (): Promise<void> => {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (!this.#isRunning) this.#running = this.#run()
    return this.#running
  }

  /** Writes batch after batch until nothing waits or the store fails; never rejects. */
  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#queue.size > 0) {
      // New maps: one that is emptied again and again keeps its old entries alive.
      this.#batch = this.#queue
      this.#queue = new Map()
      if (this.#batch.size > this.#options.batchSize) this.#cutBatch(this.#batch)
      const batch: Waiting[] = []
      let bytes = 0
      for (const entry of this.#batch.values()) {
        batch.push(entry.waiting)
        bytes += entry.bytes
      }
      try {
        await withinBudget(writeBatch(batch, this.#options), this.#options.callBudgetMs, this.#late)
        this.#counts.written += batch.length
        this.#options.onWritten?.(batch.map(({ token }) => token))
        this.#bytes -= bytes
        this.#batch = new Map()
        if (this.#failuresInRow > 0 || this.#droppedBeforeFull !== undefined) this.#noteSuccess()
      } catch (error) {
        const refused = isProfileRefusedError(error) ? error.tokens.filter((token) => this.#batch.has(token)) : []
        this.#returnBatch(new Set(refused), isProfileRefusedError(error) && error.reason === takenToken)
        if (refused.length > 0) continue
        this.#noteFailure(error)
        break
      }
    }
    this.#isRunning = false
  }

  /** Leaves in the queue what is too much for one batch. */
  #cutBatch(waiting: ReadonlyMap<string, Entry>): void {
    const batch = new Map<string, Entry>()
    let bytes = 0
    for (const [token, entry] of waiting) {
      const isFull = batch.size >= this.#options.batchSize * (bytes > maxGrownBytes ? 1 : batchGrowth)
      bytes += entry.bytes
      ;(isFull ? this.#queue : batch).set(token, entry)
    }
    this.#batch = batch
  }

  /** Puts the batch back in front of the queue, without the profiles that the store refused, perhaps because it has them. */
  #returnBatch(refused: ReadonlySet<string>, isTaken: boolean): void {
    const queue = new Map<string, Entry>()
    for (const [token, entry] of this.#batch) {
      if (!refused.has(token)) {
        entry.wasTried ||= refused.size === 0
        queue.set(token, entry)
        continue
      }
      // If a write seemed to fail but arrived, the second one is refused.
      if (entry.wasTried && isTaken) this.#counts.written++
      else this.#counts.refused++
      this.#bytes -= entry.bytes
    }
    for (const [token, entry] of this.#queue) queue.set(token, entry)
    this.#batch = new Map()
    this.#queue = queue
    this.#dropBeyondBounds()
  }

  #dropBeyondBounds(): void {
    const { maxQueued, maxQueuedBytes } = this.#options
    for (const [token, entry] of this.#queue) {
      if (this.#queue.size + this.#batch.size <= maxQueued && this.#bytes <= maxQueuedBytes) return
      if (this.#droppedBeforeFull === undefined) {
        this.#droppedBeforeFull = this.#counts.dropped
        this.#log?.write(
          profileQueueFull({ store: this.#options.store.name, queued: this.#queue.size + this.#batch.size }),
        )
      }
      this.#queue.delete(token)
      this.#bytes -= entry.bytes
      this.#counts.dropped++
    }
  }

  #noteSuccess(): void {
    const store = this.#options.store.name
    if (this.#isPaused) {
      this.#log?.write(profileStoreResumed({ store, dropped: this.#counts.dropped - this.#droppedBeforePause }))
    }
    this.#failuresInRow = 0
    if (this.#droppedBeforeFull === undefined || this.#queue.size > 0) return
    this.#log?.write(profileQueueDrained({ store, dropped: this.#counts.dropped - this.#droppedBeforeFull }))
    this.#droppedBeforeFull = undefined
  }

  #noteFailure(error: unknown): void {
    const { store, failuresBeforePause, pauseMs } = this.#options
    const wasPaused = this.#isPaused
    this.#counts.failures++
    this.#failuresInRow++
    if (this.#isPaused && !wasPaused) {
      this.#droppedBeforePause = this.#counts.dropped
      const { name, message } = error instanceof Error ? error : new Error(String(error))
      const facts = { store: store.name, failures: failuresBeforePause, pauseMs, errorClass: name, message }
      this.#log?.write(profileStorePaused(facts))
    }
    if (this.#isClosed) return
    this.#timer = setTimeout(this.#start, this.#isPaused ? pauseMs : retryMs * 2 ** (this.#failuresInRow - 1)).unref()
  }

  readonly #late = (): Error => {
    const { store, callBudgetMs } = this.#options
    return new Error(`The store ${store.name} did not respond within ${callBudgetMs} ms.`)
  }
}
