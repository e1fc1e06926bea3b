// What an engine gives: the stores of one place, opened and closed together, and the options that every engine takes.

import type { LockStore } from '../profiles/lock.ts'
import type { ErrorMarkStore, PauseStore } from '../profiles/set-by-people.ts'
import type { ProfileStore } from '../profiles/profile-store.ts'
import type { Collection } from './collections.ts'
import { EngineError } from './engine-error.ts'

/** The stores behind one address. */
export interface Engine {
  /** For people: `memory:`, `sqlite:var/fanlight.db`. */
  readonly name: string
  readonly profiles: ProfileStore
  readonly lock: LockStore
  /** Whether recording is paused for all processes. */
  readonly pause: PauseStore
  /** What people say of errors. */
  readonly errorMarks: ErrorMarkStore
  /** Records of the application, by name: `shipping`. Throws an `EngineError` for a name that cannot be used. */
  readonly collection: (name: string) => Collection
  /** Finishes open calls and closes the place. Later calls may reject (`ERR_STORE_CLOSED`); a second close does nothing. */
  close(): Promise<void>
}

export interface EngineOptions {
  /** Profiles kept at most. Default, also for `null`: 10,000. */
  readonly maxProfiles?: number | null
  /** Bytes of profiles kept at most, as they are stored. Default, also for `null`: 256 MB (268,435,456). */
  readonly maxBytes?: number | null
  /** Milliseconds after which a profile may go. Default, also for `null`: seven days (604,800,000). */
  readonly maxAgeMs?: number | null
  /** Directory that relative paths start from. Default: the working directory. */
  readonly directory?: string
  /** Gets a line when something was wrong and dealt with: a corrupt file was set aside. Default: nothing. */
  readonly onWarning?: (line: string) => void
  /** Whether few profiles are expected, and a write may hold up a request: no thread is started for little work. Default: no. */
  readonly inDevelopment?: boolean
  /** Whether the process serves requests: it does not wait long for a shared store, and hears of its outages. Default: no. */
  readonly isServing?: boolean
  /** Whether questions wait for a node of a shared store that is being replaced, as a change of the lock does. Default: no. */
  readonly isPatient?: boolean
}

export interface ProfileBounds {
  readonly maxCount: number
  readonly maxBytes: number
  readonly maxAgeMs: number
}

type BoundName = 'maxProfiles' | 'maxBytes' | 'maxAgeMs'

type ResolvedEngineOptions = Required<Omit<EngineOptions, BoundName>> & { readonly bounds: ProfileBounds }

export const defaultBounds: ProfileBounds = {
  maxCount: 10_000,
  maxBytes: 256 * 1024 * 1024,
  maxAgeMs: 7 * 24 * 60 * 60 * 1000,
}

/** Fills in the defaults. Throws `EngineError` for a bound that is not a positive integer. */
export function resolveEngineOptions(options: EngineOptions = {}): ResolvedEngineOptions {
  return {
    directory: process.cwd(),
    onWarning: () => {},
    inDevelopment: false,
    isServing: false,
    isPatient: false,
    ...options,
    bounds: {
      maxCount: positiveInteger('maxProfiles', options.maxProfiles ?? defaultBounds.maxCount),
      maxBytes: positiveInteger('maxBytes', options.maxBytes ?? defaultBounds.maxBytes),
      maxAgeMs: positiveInteger('maxAgeMs', options.maxAgeMs ?? defaultBounds.maxAgeMs),
    },
  }
}

function positiveInteger(name: BoundName, value: number): number {
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new EngineError(
    'ERR_STORE_OPEN',
    `Option ${name} of the store is "${value}"; allowed is a whole number above 0.`,
  )
}
