// A profile: what is kept of one request. Plain JSON, masked before it exists.

/** Columns that lists, filters and indices work on. */
export interface ProfileSummary {
  /** `[0-9a-z]{10,16}`, unguessable. */
  readonly token: string
  /** Token of the request that this one is a part of, or `null`. */
  readonly parentToken: string | null
  /** Tokens of the sub-requests, in the order they ran. */
  readonly childTokens: readonly string[]
  readonly method: string
  /** Full URL with query, sensitive parts masked. */
  readonly url: string
  /** Name of the matched route, or `null`. */
  readonly route: string | null
  /** Status of the answer; 0 when none was sent (the client went away). */
  readonly status: number
  /** Address of the client. */
  readonly ip: string
  /** Start, milliseconds since 1970 (UTC). */
  readonly time: number
  readonly durationMs: number
  /** Class of the outermost error, or `null`. */
  readonly errorClass: string | null
  /** Who answered, for people: a handler's name or `error handler`. */
  readonly handler: string
  /** How many log lines of level error and above, and how many in all. */
  readonly logErrorCount: number
  readonly logCount: number
}

/** A whole profile. */
export interface Profile extends ProfileSummary {
  /** What each collector gathered, by its name. */
  readonly data: Readonly<Record<string, unknown>>
}

/** Form of a token; checked in the route pattern and again in every store. */
export const tokenPattern: RegExp = /^[0-9a-z]{10,16}$/

/** The method that profiles of commands have in place of one of HTTP: no request can have it. */
export const commandMethod = 'COMMAND'
