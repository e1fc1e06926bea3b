// The port behind which profiles are kept. Engines implement it; `test/contract/` holds the suite that all of them pass.

import type { Profile, ProfileSummary } from './profile.ts'

export { tokenPattern } from './profile.ts'

/** What a list of profiles is narrowed by; every part is optional, all given ones must hold. */
export interface ProfileFilter {
  readonly token?: string
  readonly method?: string
  /** A status, or a class of them: `404`, `'4xx'`. */
  readonly status?: number | `${1 | 2 | 3 | 4 | 5}xx`
  /** Part of the URL, letter case ignored. `%` and `_` are ordinary characters. */
  readonly url?: string
  readonly route?: string
  readonly ip?: string
  /** From this instant (milliseconds since 1970), inclusive. */
  readonly since?: number
  /** Before this instant, exclusive. */
  readonly until?: number
  readonly minDurationMs?: number
  /** `true`: only those with an error; `false`: only those without. */
  readonly hasError?: boolean
  /** Sub-requests of this token. Without it (and without `token`), sub-requests are left out of a list. */
  readonly parentToken?: string
}

/** One page of a list. */
export interface ProfilePage {
  /** Newest first. */
  readonly items: readonly ProfileSummary[]
  /** Cursor of the page after this one (older profiles), or `null` at the end. Opaque; holds no request data. */
  readonly next: string | null
}

/** How full the store is, and what bounds it. */
export interface ProfileStoreStats {
  readonly count: number
  readonly bytes: number
  readonly maxCount: number
  readonly maxBytes: number
  readonly maxAgeMs: number
}

/** Keeps profiles within bounds of count, bytes and age. Never returns a torn profile. */
export interface ProfileStore {
  /** For people: `memory:`, `sqlite:var/fanlight.db`. */
  readonly name: string
  /**
   * Writes a batch in one go, all or none. Oldest profiles beyond the bounds go away in the same step. A token that exists
   * or is malformed, and data that is no JSON, is refused: rejects with `ProfileRefusedError` naming the tokens at fault.
   */
  write(profiles: readonly Profile[]): Promise<void>
  /** One profile, or `undefined` for an unknown, malformed or evicted token. */
  read(token: string): Promise<Profile | undefined>
  /** Summaries, newest first. `limit` 1–200, default 25. A malformed cursor is an empty page. */
  find(filter: ProfileFilter, page?: { readonly after?: string; readonly limit?: number }): Promise<ProfilePage>
  /** Removes all, or those from before an instant; says how many. */
  purge(before?: number): Promise<number>
  stats(): Promise<ProfileStoreStats>
}

const brand = Symbol.for('fanlight.ProfileRefusedError')

/** A batch was not written because of some of its profiles; without them it can be written again. */
export class ProfileRefusedError extends Error {
  readonly code = 'ERR_PROFILE_REFUSED'
  /** The profiles at fault, as they were sent; never empty. */
  readonly tokens: readonly string[]
  /** What is wrong with them: `the token exists already`. */
  readonly reason: string

  constructor(tokens: readonly string[], reason: string, options?: ErrorOptions) {
    super(`Profile ${tokens.map((token) => JSON.stringify(token)).join(', ')} refused: ${reason}.`, options)
    this.tokens = tokens
    this.reason = reason
  }

  static {
    Object.defineProperty(this.prototype, brand, { value: true })
    Object.defineProperty(this.prototype, 'name', { value: 'ProfileRefusedError', configurable: true, writable: true })
  }
}

/** Tells by brand, so that stores of other packages may throw their own copy. */
export function isProfileRefusedError(value: unknown): value is ProfileRefusedError {
  return typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true
}
