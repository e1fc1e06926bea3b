// Schemas of what stores give: summaries, lists, groups, statistics.

import type { FleetMember, FleetOutage, FleetStats } from '../../fleet-stats.ts'
import type { Finding, ProfileSummary } from '../../profile.ts'
import type {
  GroupPart,
  GroupSample,
  LongerStats,
  MissingParts,
  ProfileGroup,
  ProfileStoreStats,
  ReopenedStore,
} from '../../profile-store.ts'
import {
  boolean,
  integer,
  list,
  named,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
  tuple,
  type Members,
  type Schema,
} from './schema.ts'

export const token: Schema<string> = text({ pattern: '^[0-9a-z]{10,16}$' })
/** Milliseconds since 1970 (UTC). */
export const instant: Schema<number> = number({ description: 'Milliseconds since 1970 (UTC).' })
export const nullableText: Schema<string | null> = nullable(text())
export const nullableNumber: Schema<number | null> = nullable(number())
export const sentences: Schema<readonly string[]> = list(text())
/** Names and values, masked. */
export const fields: Schema<readonly (readonly [name: string, value: string])[]> = list(tuple(text(), text()))

const finding: Schema<Finding> = named(
  'Finding',
  'A reason to look at a profile.',
  oneOf('error', 'slow', 'n_plus_one', 'blocked'),
)

export const summaryMembers: Members<ProfileSummary> = {
  token,
  parentToken: nullable(token),
  childTokens: list(token),
  method: text({
    description:
      'COMMAND: a command. JOB: a job of a queue. TASK: a task of a schedule. BROWSER: a report of a page. SPANS: spans of another service.',
  }),
  url: text({ description: 'In full, with query; sensitive parts are masked.' }),
  route: nullableText,
  status: integer({ minimum: 0, description: '0: no response was sent.' }),
  ip: text(),
  time: instant,
  durationMs: number({ minimum: 0 }),
  errorClass: nullableText,
  handler: text(),
  logErrorCount: integer(),
  logCount: integer(),
  findings: list(finding),
  errorFamily: nullable(text({ description: 'The same for errors of the same origin.' })),
  errorMessage: nullableText,
  replayOf: nullable(token),
  tags: list(text()),
  traceId: nullable(text({ pattern: '^[0-9a-f]{32}$' })),
  version: nullableText,
  service: nullableText,
  ownCpuMs: nullable(number({ description: 'How long code of the request ran.' })),
  queryCount: nullable(integer()),
}

export const profileSummary: Schema<ProfileSummary> = named(
  'ProfileSummary',
  'One recorded request, command, job or task, as lists show it.',
  object<ProfileSummary>(summaryMembers),
)

export const missingParts: Schema<MissingParts> = named(
  'MissingParts',
  'Parts of a shared store that did not respond: their profiles are missing.',
  object<MissingParts>({ parts: integer(), of: integer() }),
)

const fleetOutage: Schema<FleetOutage> = object<FleetOutage>({ since: instant, reason: text() })

const fleetStats: Schema<FleetStats> = named(
  'FleetStats',
  'How a store that several machines share does, as this process sees it.',
  object<FleetStats>({
    held: integer(),
    heldBytes: integer(),
    maxHeld: integer(),
    maxHeldBytes: integer(),
    late: integer(),
    dropped: integer(),
    unconfirmed: integer(),
    outage: nullable(fleetOutage),
    members: optional(
      list(
        object<FleetMember>({
          host: text(),
          pid: integer(),
          version: nullableText,
          since: instant,
          time: instant,
          held: integer(),
          dropped: integer(),
        }),
      ),
    ),
    currenciesTime: optional(nullable(instant)),
  }),
)

export const storeStats: Schema<ProfileStoreStats> = named(
  'StoreStats',
  'What the store holds, and its bounds.',
  object<ProfileStoreStats>({
    count: integer(),
    bytes: integer(),
    maxCount: integer(),
    maxBytes: integer(),
    maxAgeMs: number(),
    longer: optional(object<LongerStats>({ count: integer(), bytes: integer(), share: number(), maxAgeMs: number() })),
    oldestTime: optional(nullable(instant)),
    reopened: optional(nullable(object<ReopenedStore>({ time: instant, reason: oneOf('gone', 'damaged') }))),
    missing: optional(missingParts),
    fleet: optional(fleetStats),
  }),
)

export const profileGroup: Schema<ProfileGroup> = named(
  'ProfileGroup',
  'Profiles that have the route, the error family or the version in common.',
  object<ProfileGroup>({
    key: nullableText,
    count: integer(),
    errorCount: integer(),
    p50Ms: number(),
    p95Ms: number(),
    p99Ms: number(),
    maxMs: number(),
    ownCpuP50Ms: nullableNumber,
    meanQueries: nullableNumber,
    firstTime: instant,
    lastTime: instant,
    lastToken: token,
    lastMessage: nullableText,
    strip: list(integer(), { description: 'How many began in each of 24 equal parts of the time.' }),
    samples: optional(
      list(
        object<GroupSample>({
          durationMs: number(),
          ownCpuMs: nullableNumber,
          queryCount: nullableNumber,
          isError: boolean(),
        }),
      ),
    ),
    parts: optional(
      list(
        object<GroupPart>({
          service: nullableText,
          route: nullableText,
          command: nullableText,
          runType: optional(oneOf('job', 'task')),
          isBrowser: boolean(),
          errorFamily: nullableText,
          isError: boolean(),
          count: integer(),
          firstTime: instant,
          lastTime: instant,
          lastToken: token,
          lastMessage: nullableText,
        }),
      ),
    ),
  }),
)
