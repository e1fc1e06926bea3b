// Reads what the built-in collectors wrote into a profile. Profiles come from stores and files, perhaps of another version:
// data of an unknown form is told apart from data that is not there.

import * as v from 'valibot'
import type { ContentParts } from '../http/recording/body-content.ts'
import type { Frame } from '../errors/flattened-error.ts'
import type { ValueOrigin } from '../errors/value-origin.ts'
import type { Span } from '../base/timing/stopwatch.ts'
import { browserSchema, type BrowserData } from '../observe/browser/browser-data.ts'
import type { DatabaseData, DatabaseQuery, QueryGroup, Repeat } from '../observe/outgoing/database-data.ts'
import type { CapturedOutgoingBody, HttpClientData, OutgoingRequest } from '../observe/outgoing/http-client-data.ts'
import type { LoggerData } from '../observe/collectors/logger.ts'
import type { RequestData, RouterData } from '../observe/collectors/request.ts'
import type { TimeData } from '../observe/collectors/time.ts'
import { noteSource } from '../observe/profile-parts.ts'
import type { Delays } from './delays.ts'
import type { Profile } from '../observe/profile.ts'
import { traceSpanKinds, traceSpanStatuses, type ReceivedSpans, type TraceSpan } from './trace-span.ts'

export type StoredPart<Data> =
  | { readonly state: 'there'; readonly data: Data }
  /** Nothing of the kind happened, or no collector looked. */
  | { readonly state: 'absent' }
  /** The collector failed or was left out; `reason` is its note. */
  | { readonly state: 'failed'; readonly reason: string }
  /** Written in a form that this version does not know. */
  | { readonly state: 'unknown' }

/** What is read of each part; parts may hold more. */
export interface StoredParts {
  readonly time: Pick<TimeData, 'droppedSpans'> &
    Readonly<Record<'ownCpuMs' | 'loopWaitMs' | 'ioWaitMs', number | null>> &
    Omit<Delays, 'spans'> & { readonly spans: readonly StoredSpan[] }
  readonly database: Pick<DatabaseData, 'dropped'> & {
    readonly queries: readonly Pick<DatabaseQuery, 'group' | 'startMs' | 'durationMs' | 'error' | 'callSite'>[]
    readonly groups: readonly Pick<QueryGroup, 'system' | 'library' | 'namespace' | 'text' | 'count' | 'totalMs'>[]
    readonly findings: readonly (Omit<Repeat, 'kind'> & { readonly kind: string })[]
  }
  readonly 'http-client': Pick<HttpClientData, 'dropped'> & {
    readonly calls: readonly (Pick<
      OutgoingRequest,
      'method' | 'url' | 'status' | 'error' | 'startMs' | 'durationMs' | 'callSite' | 'responseHeaders'
    > & {
      readonly client: string
      readonly spanId: string | null
      readonly requestBody?: CapturedOutgoingBody | undefined
      readonly responseBody?: CapturedOutgoingBody | undefined
    })[]
  }
  readonly logger: Pick<LoggerData, 'dropped'> & {
    readonly records: readonly StoredLine[]
  }
  readonly request: Pick<RequestData, 'headers' | 'responseHeaders' | 'bytes'> & {
    readonly body?: StoredBody | undefined
    readonly responseBody?: StoredBody | undefined
  }
  readonly router: Pick<RouterData, 'pattern' | 'definedAt'>
  readonly config: Readonly<Record<string, unknown>>
  readonly exception: StoredChain
  readonly spans: ReceivedSpans
  readonly browser: BrowserData
}

/** The errors of a chain, the outermost first, with what explains them. */
export interface StoredChain {
  readonly errors: readonly StoredError[]
  readonly hints: readonly { readonly title: string; readonly text: string }[]
  readonly candidates: readonly { readonly file: string; readonly line: number; readonly why: string }[]
  readonly origins: readonly ValueOrigin[]
}

export interface StoredError {
  readonly className: string
  readonly message: string
  readonly properties: readonly { readonly name: string; readonly value: string }[]
  readonly frames: readonly Frame[]
  readonly members: readonly Pick<StoredChain, 'errors'>[]
}

export type StoredSpan = Pick<
  Span,
  'id' | 'parentId' | 'name' | 'kind' | 'category' | 'startMs' | 'durationMs' | 'status' | 'attributes'
>

export interface StoredLine {
  readonly level: string
  readonly channel: string
  readonly message: string
  readonly context: Readonly<Record<string, unknown>>
  /** 0 if it is not known. */
  readonly timeMs: number
}

export interface StoredBody {
  readonly state: string
  readonly mediaType: string
  readonly readBytes: number
  readonly keptBytes?: number | undefined
  readonly isComplete?: boolean | undefined
  readonly content: ContentParts | null
}

export type StoredPartName = keyof StoredParts

/** Reads one part of a profile. Never throws. */
export function readPart<Name extends StoredPartName>(
  profile: Pick<Profile, 'data'>,
  name: Name,
): StoredPart<StoredParts[Name]> {
  const schema: v.GenericSchema<unknown, StoredParts[Name]> = schemas[name]
  return readPartAs(profile, name, schema)
}

export function dataOf<Name extends StoredPartName>(
  profile: Pick<Profile, 'data'>,
  name: Name,
): StoredParts[Name] | undefined {
  const part = readPart(profile, name)
  return part.state === 'there' ? part.data : undefined
}

/** Reads one part of a profile in a form that only the caller knows. Never throws. */
export function readPartAs<Data>(
  profile: Pick<Profile, 'data'>,
  name: string,
  schema: v.GenericSchema<unknown, Data>,
): StoredPart<Data> {
  if (!Object.hasOwn(profile.data, name)) {
    const reason = notesOf(profile).find(({ source }) => source === noteSource(name))?.message
    return reason === undefined ? { state: 'absent' } : { state: 'failed', reason }
  }
  const read = v.safeParse(schema, profile.data[name])
  return read.success ? { state: 'there', data: read.output } : { state: 'unknown' }
}

const optionalNumber = v.nullable(v.number())
const optionalText = v.nullable(v.string())
const fields = v.array(v.tuple([v.string(), v.string()]))

const outgoingBody: v.GenericSchema<unknown, CapturedOutgoingBody> = v.object({
  state: v.optional(v.string()),
  mediaType: v.string(),
  isWhole: v.boolean(),
  text: v.nullable(v.string()),
})

const body: v.GenericSchema<unknown, StoredBody> = v.object({
  state: v.string(),
  mediaType: v.string(),
  readBytes: v.number(),
  keptBytes: v.optional(v.number()),
  isComplete: v.optional(v.boolean()),
  content: v.nullable(
    v.object({
      kind: v.string(),
      value: v.optional(v.unknown()),
      fields: v.optional(fields),
      text: v.optional(v.string()),
    }),
  ),
})

const plainValue = v.union([v.string(), v.number(), v.boolean()])
const attributes = v.record(v.string(), v.union([plainValue, v.array(plainValue)]))
const hexId = (digits: number): v.GenericSchema<unknown, string> =>
  v.pipe(v.string(), v.regex(new RegExp(`^[0-9a-f]{${digits}}$`)))

const traceSpan: v.GenericSchema<unknown, TraceSpan> = v.object({
  traceId: hexId(32),
  spanId: hexId(16),
  parentSpanId: v.nullable(hexId(16)),
  name: v.string(),
  kind: v.picklist(traceSpanKinds),
  startTime: v.number(),
  durationMs: v.number(),
  status: v.picklist(traceSpanStatuses),
  statusMessage: v.nullable(v.string()),
  attributes,
  events: v.array(v.object({ name: v.string(), time: v.number(), attributes })),
})

const excerpt = v.object({
  startLine: v.number(),
  lines: v.array(v.array(v.tuple([v.string(), v.string()]))),
})

const frame = v.object({
  functionName: v.optional(v.nullable(v.string()), null),
  file: v.string(),
  line: v.optional(v.number(), 0),
  column: v.optional(v.number(), 0),
  origin: v.fallback(v.picklist(['own', 'dependency', 'node']), 'dependency'),
  isAsync: v.optional(v.boolean(), false),
  excerpt: v.optional(v.nullable(excerpt), null),
  variables: v.optional(v.array(v.tuple([v.string(), v.string()])), []),
})

const hindrances = v.fallback(
  v.array(
    v.object({
      token: optionalText,
      method: optionalText,
      path: optionalText,
      fromMs: v.number(),
      durationMs: v.number(),
    }),
  ),
  [],
)

const error: v.GenericSchema<unknown, StoredError> = v.object({
  className: v.optional(v.string(), ''),
  message: v.optional(v.string(), ''),
  properties: v.optional(v.array(v.object({ name: v.string(), value: v.string() })), []),
  frames: v.array(frame),
  members: v.optional(v.array(v.object({ errors: v.array(v.lazy(() => error)) })), []),
})

const chain: v.GenericSchema<unknown, StoredChain> = v.object({
  errors: v.array(error),
  hints: v.optional(v.array(v.object({ title: v.string(), text: v.string() })), []),
  candidates: v.optional(v.array(v.object({ file: v.string(), line: v.number(), why: v.string() })), []),
  origins: v.optional(
    v.array(
      v.object({
        usedAt: v.string(),
        name: v.string(),
        note: v.string(),
        source: v.nullable(
          v.object({ file: v.string(), line: v.number(), parts: v.array(excerpt), marked: v.array(v.number()) }),
        ),
      }),
    ),
    [],
  ),
})

const schemas: { readonly [Name in StoredPartName]: v.GenericSchema<unknown, StoredParts[Name]> } = {
  time: v.object({
    spans: v.array(
      v.object({
        id: v.number(),
        parentId: optionalNumber,
        name: v.string(),
        kind: v.fallback(v.picklist(['internal', 'server', 'client']), 'internal'),
        category: v.string(),
        startMs: v.number(),
        durationMs: optionalNumber,
        status: v.fallback(v.picklist(['unset', 'ok', 'error']), 'unset'),
        attributes: v.fallback(v.record(v.string(), plainValue), {}),
      }),
    ),
    droppedSpans: v.number(),
    ownCpuMs: v.optional(optionalNumber, null),
    loopWaitMs: v.optional(optionalNumber, null),
    ioWaitMs: v.optional(optionalNumber, null),
    heldBackMs: v.fallback(v.number(), 0),
    blockedBy: hindrances,
    blocked: hindrances,
    droppedHindrances: v.fallback(v.number(), 0),
    sequentialWaits: v.fallback(
      v.array(v.object({ first: v.string(), second: v.string(), count: v.number(), savedMs: v.number() })),
      [],
    ),
  }),
  database: v.object({
    queries: v.array(
      v.object({
        group: v.number(),
        startMs: v.optional(v.number(), 0),
        durationMs: optionalNumber,
        error: v.optional(optionalText, null),
        callSite: v.optional(optionalText, null),
      }),
    ),
    groups: v.array(
      v.object({
        system: v.string(),
        library: v.optional(v.string(), ''),
        namespace: v.optional(optionalText, null),
        text: v.string(),
        count: v.number(),
        totalMs: v.number(),
      }),
    ),
    findings: v.array(
      v.object({
        kind: v.string(),
        group: v.number(),
        count: v.number(),
        totalMs: v.number(),
        callSite: v.nullable(v.string()),
        field: v.exactOptional(v.string()),
      }),
    ),
    dropped: v.number(),
  }),
  'http-client': v.object({
    calls: v.array(
      v.object({
        client: v.optional(v.string(), 'fetch'),
        method: v.string(),
        url: v.string(),
        status: optionalNumber,
        error: v.nullable(v.string()),
        startMs: v.optional(v.number(), 0),
        callSite: v.optional(optionalText, null),
        durationMs: optionalNumber,
        spanId: v.fallback(v.nullable(hexId(16)), null),
        responseHeaders: v.optional(fields, []),
        requestBody: v.optional(outgoingBody),
        responseBody: v.optional(outgoingBody),
      }),
    ),
    dropped: v.number(),
  }),
  logger: v.object({
    records: v.array(
      v.object({
        level: v.string(),
        channel: v.string(),
        message: v.string(),
        context: v.optional(v.record(v.string(), v.unknown()), {}),
        timeMs: v.optional(v.number(), 0),
      }),
    ),
    dropped: v.number(),
  }),
  request: v.object({
    headers: fields,
    responseHeaders: fields,
    bytes: optionalNumber,
    body: v.optional(body),
    responseBody: v.optional(body),
  }),
  router: v.object({ pattern: v.nullable(v.string()), definedAt: v.nullable(v.string()) }),
  exception: chain,
  spans: v.object({ spans: v.array(traceSpan), dropped: v.number(), resource: attributes }),
  browser: browserSchema,
  config: v.record(v.string(), v.unknown()),
}

/** What the profile says of itself: `{ source, message }`, those of an unknown form left out. */
export function notesOf({
  data,
}: Pick<Profile, 'data'>): readonly { readonly source: string; readonly message: string }[] {
  const notes: unknown = data['notes']
  return Array.isArray(notes) ? notes.filter((value: unknown) => v.is(note, value)) : []
}

const note = v.object({ source: v.string(), message: v.string() })
