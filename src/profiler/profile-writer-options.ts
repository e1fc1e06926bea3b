// How a profile writer waits, gathers and gives up, and what it does where nobody says.

import type { Log } from '../framework/log/logger.ts'
import type { OwnCost } from './keeping/own-cost.ts'
import type { ProfileStore } from './profile-store.ts'
import type { ProfileAssembly } from './write-batch.ts'

/** What a writer works with; everything but the store has a default. */
export interface ProfileWriterOptions {
  readonly store: ProfileStore
  /** How records become profiles. Default: only profiles are taken. */
  readonly assembly?: ProfileAssembly | undefined
  /** Told once per change of state. Default: nobody. */
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
}

/** What holds where an option is left out. */
export const profileWriterDefaults: Required<Omit<ProfileWriterOptions, 'store' | 'assembly' | 'log' | 'cost'>> = {
  maxQueued: 1000,
  maxQueuedBytes: 64 * 1024 * 1024,
  batchSize: 64,
  batchDelayMs: 50,
  failuresBeforePause: 5,
  pauseMs: 10_000,
  callBudgetMs: 8000,
}
