// The stored form of one recorded request: plain JSON, already masked.

import type { KeptName } from '../http/recording/recording.ts'
import { membersOf, namesOf } from '../base/members.ts'

type HiddenFault =
  | 'redirect_loop'
  | 'cookie_twice'
  | 'sent_twice'
  | 'errors_in_200'
  | 'left_open'
  | 'lost_update'
  | 'odd_value'

/** Reasons to look at a profile. */
export type Finding = 'error' | 'slow' | 'n_plus_one' | 'blocked' | HiddenFault

/** What each means, and the panel that shows more. In the order in which they are shown; stores keep it, so add at the end. */
export const findings: Readonly<Record<Finding, readonly [label: string, panel: string, meaning: string]>> = {
  error: ['error', 'logger', 'Status 500 or above, no response, an exception but no 4xx, or an error in the log.'],
  slow: ['slow', 'time', '500 ms (recording.slowMs) or more, without waits for a processor.'],
  n_plus_one: ['N+1 query', 'database', 'The same query again and again from one place, with different values.'],
  blocked: [
    'blocked',
    'time',
    'Its code ran for 50 ms at once, without waits for a processor, or kept others waiting for 50 ms in total.',
  ],
  redirect_loop: ['redirect loop', 'findings', 'Redirects led back to an address that its client had asked for.'],
  cookie_twice: ['cookie set twice', 'findings', 'The response sets a cookie twice; browsers keep the last one.'],
  sent_twice: ['sent twice', 'findings', 'The same POST or PATCH came twice, and both succeeded.'],
  errors_in_200: ['errors in a 200', 'findings', 'A service responded with 200 and a body that tells of errors.'],
  left_open: ['open transaction', 'findings', 'It ran in a transaction that a request before had not ended.'],
  lost_update: [
    'lost update',
    'findings',
    'It and another request wrote the same, and the later had not read the other.',
  ],
  odd_value: [
    'odd value',
    'findings',
    'A line did something with a value that is probably a mistake; the panel Code shows it.',
  ],
}

export const findingNames: readonly Finding[] = namesOf(findings)

/** Who finds something adds to the list. */
export const foundName: KeptName<Found[]> = 'found'

/** A finding with what proves it. */
export interface Found {
  readonly kind: Finding
  readonly text: string
  /** Places, `src/cart.ts:12`, and tokens of other profiles; `null` for none. */
  readonly parts: readonly { readonly text: string; readonly place: string | null; readonly token: string | null }[]
  /** When it was seen, in milliseconds since the request began. Default: not known. */
  readonly timeMs?: number
}

/** Any collector may report findings in its data, `findings: [{ kind: 'n+1' }]` or the name of one, with the places that prove it. */
export function foundIn(data: unknown): readonly (readonly [name: Finding, places: readonly string[]])[] {
  if (typeof data !== 'object' || data === null || !('findings' in data) || !Array.isArray(data.findings)) return []
  return data.findings.flatMap((entry: unknown) => {
    const { kind, callSite, field, parts } = membersOf(entry)
    const proofs = (Array.isArray(parts) ? parts : []).map((part: { readonly place?: unknown } | null) => part?.place)
    const name = findingNames.find((one) => one === (kind === 'n+1' ? 'n_plus_one' : kind))
    return name === undefined ? [] : [[name, [callSite ?? field, ...proofs].filter((one) => typeof one === 'string')]]
  })
}

/** What fields of a summary hold. */
export interface FieldValues {
  token: string
  tokens: readonly string[]
  text: string
  /** 32 lower-case hex digits. */
  traceId: string
  count: number
  figure: number
  findings: readonly Finding[]
  tags: readonly string[]
}

export interface FieldFacts {
  readonly holds: keyof FieldValues
  /** Whether it may be `null`: none, or unknown. */
  readonly isOptional?: true
  /** The greatest number, or most characters, that an import may have. Default: any number, 1000 characters. */
  readonly most?: number
  /** Whether any character may be in it. */
  readonly isAnyText?: true
  /** Of the column in SQLite: over all rows, or over those that have a value. */
  readonly index?: 'unique' | 'all' | 'set'
}

/**
 * The fields of a summary: types, columns of stores and the check of imports are drawn from here. They are in the order of the columns;
 * add at the end, with `isOptional`: what was stored before has `null` there.
 */
export const fields = {
  /** `[0-9a-z]{10,16}`, unguessable. */
  token: { holds: 'token', index: 'unique' },
  /** Token of the request that started this one, or `null`. */
  parentToken: { holds: 'token', isOptional: true },
  /** Tokens of the sub-requests, in the order they ran. */
  childTokens: { holds: 'tokens' },
  method: { holds: 'text', most: 200 },
  /** Full URL with query, sensitive parts masked. */
  url: { holds: 'text', most: 20_000 },
  /** Name of the matched route, or `null`. */
  route: { holds: 'text', isOptional: true, index: 'all' },
  /** Status of the response; 0 if none was sent (the client went away). */
  status: { holds: 'count', most: 999, index: 'all' },
  ip: { holds: 'text', most: 200 },
  /** Start, milliseconds since 1970 (UTC). A Date can hold no more. */
  time: { holds: 'figure', most: 8.64e15 },
  durationMs: { holds: 'figure' },
  /** Class of the outermost error, or `null`. */
  errorClass: { holds: 'text', isOptional: true },
  /** Name of the handler that responded, or `error handler`. */
  handler: { holds: 'text' },
  /** Log lines of level error and above. */
  logErrorCount: { holds: 'count' },
  logCount: { holds: 'count' },
  /** In the order of `findingNames`. */
  findings: { holds: 'findings' },
  /** Shared by errors of the same origin: `TypeError in src/prices.ts (PriceList.find)`; `null` if nothing was thrown. */
  errorFamily: { holds: 'text', isOptional: true, index: 'set' },
  /** What the outermost error says, at most 300 characters; `null` if nothing was thrown. */
  errorMessage: { holds: 'text', isOptional: true, isAnyText: true },
  /** W3C trace id; `null` if unknown. */
  traceId: { holds: 'traceId', isOptional: true, index: 'set' },
  /** Milliseconds that the request spent running code; `null` if not measured. */
  ownCpuMs: { holds: 'figure', isOptional: true },
  /** Queries sent to databases and caches; `null` if unknown. */
  queryCount: { holds: 'count', isOptional: true },
  /** Version of the application (`APP_VERSION`); `null` if not set. */
  version: { holds: 'text', isOptional: true, most: 64, index: 'set' },
  /** Name of the application (`APP_SERVICE`); `null` if unknown. */
  service: { holds: 'text', isOptional: true, most: 64, index: 'set' },
  /** Token of the profile whose request was sent again with this one, or `null`. */
  replayOf: { holds: 'token', isOptional: true },
  /** What the application marked it with (`tag`), in the order of the calls; at most 20, each at most 40 characters. */
  tags: { holds: 'tags' },
  /** Hash of the id of the session, 12 hex digits; `null` if there is none, or its id is not known. */
  session: { holds: 'text', isOptional: true, most: 64, index: 'set' },
  /** Name of the user, or else the id; `null` if nobody is known. */
  user: { holds: 'text', isOptional: true, most: 100, index: 'set' },
} as const

export type FieldName = keyof typeof fields

export const fieldList: readonly (readonly [name: FieldName, facts: FieldFacts])[] = namesOf(fields).map((name) => [
  name,
  fields[name],
])

/** What lists show, and what they filter and group by. Filled once, when the profile is made. */
export type ProfileSummary = { readonly [Name in FieldName]: FieldValues[Holds<Name>] | NullOf<(typeof fields)[Name]> }

type Holds<Name extends FieldName> = (typeof fields)[Name]['holds']
type NullOf<Facts> = Facts extends { readonly isOptional: true } ? null : never
type OptionalField = { [Name in FieldName]: null extends ProfileSummary[Name] ? Name : never }[FieldName]

/** Every field that may be `null`, as `null`. */
export const noFacts: { readonly [Name in OptionalField]: null } = Object.fromEntries(
  fieldList.flatMap(([name, { isOptional }]) => (isOptional ? [[name, null]] : [])),
) as { readonly [Name in OptionalField]: null }

/** What was recorded of a request or a run, with the data of each collector. */
export interface Profile extends ProfileSummary {
  /** Collected data by collector name. */
  readonly data: Readonly<Record<string, unknown>>
}

/** Checked by the route pattern and again by every store. */
export const tokenPattern: RegExp = /^[0-9a-z]{10,16}$/

/** Errors after one response that get a profile. */
export const maxLateErrors = 9

/**
 * Token of the profile of an error that was thrown after the response of a request, counted from 1. It ends as the request's does:
 * the last letter may name a part of the store, and both profiles are read together.
 */
export function lateToken(token: string, count: number): string {
  return `${token.slice(0, -1).slice(0, 14)}${count}${token.slice(-1)}`
}

/** The methods of what runs without a client: a command, a job of a queue, a task of a schedule. No HTTP request can have them. */
export const runMethods = { command: 'COMMAND', job: 'JOB', task: 'TASK' } as const

export type RunType = keyof typeof runMethods

export const runTypes: readonly RunType[] = ['command', 'job', 'task']

export type ProfileType = 'request' | RunType

/** The type of a run by its method; `undefined` for everything else. */
export function runTypeOf(method: string): RunType | undefined {
  return runTypes.find((type) => runMethods[type] === method)
}

/** The method of records that hold the spans of another service. No HTTP request can have it. */
export const spansMethod = 'SPANS'

/** The method of what pages reported: sub-requests of the request that served the page. */
export const browserMethod = 'BROWSER'

export const maxTags = 20
const maxTagLength = 40

/** A tag as a summary keeps it: in one line, cut at 40 characters; empty for anything but text. */
export function tagName(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return [...line].slice(0, maxTagLength).join('').trimEnd()
}

const maxNameLength = 64

/** A version, or the name of a service, as a summary keeps it. */
export function summaryName(name: string | null): string | null {
  return name === null || name === '' ? null : name.slice(0, maxNameLength)
}
