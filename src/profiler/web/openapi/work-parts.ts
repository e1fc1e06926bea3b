// Schemas of recorded work and where the time went: spans, CPU profiles, queries, outgoing requests, GraphQL.

import type { DatabaseData, DatabaseQuery, QueryGroup, Repeat } from '../../capture/database-data.ts'
import type { CapturedResponse } from '../../capture/captured-response.ts'
import type { CalledProfile, HttpClientData, OutgoingRequest } from '../../capture/http-client-data.ts'
import type { SequentialWait } from '../../capture/sequential-waits.ts'
import type { CpuData, CpuFunctionData } from '../../collectors/cpu.ts'
import type { AllocatingFunctionData, MemoryData } from '../../collectors/memory.ts'
import type { GraphqlData, GraphqlOperation } from '../../collectors/graphql.ts'
import type { LoopHindrance, MemoryShares, TimeData } from '../../collectors/time.ts'
import type { CpuCall } from '../../measuring/cpu-profile.ts'
import type { GarbagePause } from '../../measuring/request-meter.ts'
import type { ResolverTimes } from '../../request-record.ts'
import type { Span } from '../../../framework/timing/span.ts'
import { fields, nullableNumber, nullableText, sentences, token } from './profiles.ts'
import {
  anyOf,
  boolean,
  integer,
  list,
  named,
  nullable,
  number,
  object,
  oneOf,
  optional,
  record,
  text,
  type Schema,
} from './schema.ts'
import { dumpedValue, recordedChild } from './values.ts'

const span: Schema<Span> = named(
  'Span',
  'A timed piece of work. Times are milliseconds since the request began.',
  object<Span>({
    id: integer(),
    parentId: nullable(integer()),
    name: text(),
    kind: oneOf('internal', 'server', 'client'),
    category: text(),
    startMs: number(),
    durationMs: nullableNumber,
    status: oneOf('unset', 'ok', 'error'),
    attributes: record(anyOf(text(), number(), boolean())),
  }),
)

const hindrance: Schema<LoopHindrance> = named(
  'LoopHindrance',
  'A request that held up another one.',
  object<LoopHindrance>({
    token: nullable(token),
    method: nullableText,
    path: nullableText,
    fromMs: number(),
    durationMs: number(),
  }),
)

const sequentialWait: Schema<SequentialWait> = named(
  'SequentialWait',
  'Two waits of one function that could run side by side.',
  object<SequentialWait>({ first: text(), second: text(), count: integer(), savedMs: number() }),
)

export const time: Schema<TimeData> = named(
  'TimeData',
  'Where the time went, in milliseconds. Null: not measured.',
  object<TimeData>({
    durationMs: number(),
    spans: list(span),
    droppedSpans: integer(),
    subRequests: list(recordedChild),
    instrumentationMs: number(),
    sequentialWaits: optional(list(sequentialWait)),
    ownCpuMs: nullableNumber,
    loopWaitMs: nullableNumber,
    ioWaitMs: nullableNumber,
    heldBackMs: nullableNumber,
    longestStretchMs: nullableNumber,
    stretchCount: integer(),
    stretches: list(number()),
    blockedBy: list(hindrance),
    blocked: list(hindrance),
    blockedOthersMs: number(),
    droppedHindrances: integer(),
    memory: nullable(
      object<MemoryShares>({
        heapBefore: integer(),
        heapAfter: integer(),
        heapLimit: integer(),
        resident: integer(),
      }),
    ),
    garbagePauses: list(
      object<GarbagePause>({
        kind: oneOf('minor', 'major', 'incremental', 'weak callbacks'),
        startMs: number(),
        durationMs: number(),
      }),
    ),
    profilerMs: nullableNumber,
  }),
)

export const cpu: Schema<CpuData> = named(
  'CpuData',
  'Which functions took the CPU time.',
  object<CpuData>({
    functions: list(
      object<CpuFunctionData>({
        name: text(),
        file: text(),
        line: integer(),
        column: integer(),
        origin: oneOf('own', 'dependency', 'node'),
      }),
    ),
    calls: list(object<CpuCall>({ parent: integer(), of: integer(), selfMs: number(), totalMs: number() })),
    ownMs: number(),
    othersMs: number(),
    samples: integer(),
    droppedCalls: integer(),
    startTookMs: number(),
    stopTookMs: number(),
  }),
)

export const memory: Schema<MemoryData> = named(
  'MemoryData',
  'Which functions allocated memory in the whole process while the request ran, in bytes.',
  object<MemoryData>({
    functions: list(
      object<AllocatingFunctionData>({
        name: text(),
        file: text(),
        line: integer(),
        column: integer(),
        origin: oneOf('own', 'dependency', 'node'),
        selfBytes: integer(),
        totalBytes: integer(),
      }),
    ),
    dropped: integer(),
    totalBytes: integer(),
    isCut: boolean(),
    startTookMs: number(),
    stopTookMs: number(),
  }),
)

const query: Schema<DatabaseQuery> = named(
  'DatabaseQuery',
  'One query. `group` is the index of its text in `groups`.',
  object<DatabaseQuery>({
    group: integer(),
    startMs: number(),
    durationMs: nullableNumber,
    rows: nullable(integer()),
    error: nullableText,
    callSite: nullableText,
  }),
)

export const database: Schema<DatabaseData> = named(
  'DatabaseData',
  'The queries of the request, and those that repeat each other.',
  object<DatabaseData>({
    queries: list(query),
    groups: list(
      object<QueryGroup>({
        system: text(),
        library: text(),
        namespace: nullableText,
        text: text(),
        count: integer(),
        totalMs: number(),
      }),
    ),
    findings: list(
      object<Repeat>({
        kind: oneOf('duplicate', 'n+1'),
        group: integer(),
        count: integer(),
        totalMs: number(),
        callSite: nullableText,
        field: optional(text()),
      }),
    ),
    dropped: integer(),
    durationMs: number(),
  }),
)

const outgoingRequest: Schema<OutgoingRequest> = named(
  'OutgoingRequest',
  'A request that the application sent. Times are milliseconds; null: unknown, or it did not get so far.',
  object<OutgoingRequest>({
    client: oneOf('fetch', 'node:http'),
    method: text(),
    url: text(),
    status: nullable(integer()),
    error: nullableText,
    startMs: number(),
    waitMs: nullableNumber,
    firstByteMs: nullableNumber,
    durationMs: nullableNumber,
    requestBytes: nullable(integer()),
    responseBytes: nullable(integer()),
    requestHeaders: fields,
    responseHeaders: fields,
    responseBody: optional(object<CapturedResponse>({ mediaType: text(), isWhole: boolean(), text: nullableText })),
    callSite: nullableText,
    spanId: nullableText,
    profile: nullable(object<CalledProfile>({ token: text(), link: nullableText })),
  }),
)

export const httpClient: Schema<HttpClientData> = named(
  'HttpClientData',
  'The outgoing requests, in the order they began.',
  object<HttpClientData>({
    calls: list(outgoingRequest),
    dropped: integer(),
    traceId: text(),
    parentSpanId: nullableText,
    durationMs: number(),
  }),
)

export const graphql: Schema<GraphqlData> = named(
  'GraphqlData',
  'The GraphQL operations, and how long the resolvers ran.',
  object<GraphqlData>({
    operations: list(
      object<GraphqlOperation>({
        kind: nullableText,
        name: nullableText,
        document: nullableText,
        isCut: boolean(),
        variables: nullable(dumpedValue),
        startMs: number(),
        parseMs: nullableNumber,
        validateMs: nullableNumber,
        executeMs: nullableNumber,
        errors: sentences,
        errorCount: integer(),
      }),
    ),
    dropped: integer(),
    resolvers: list(
      object<ResolverTimes>({
        name: text(),
        operation: optional(nullable(integer())),
        count: integer(),
        totalMs: number(),
        slowestMs: number(),
        failed: integer(),
      }),
    ),
    droppedCalls: integer(),
  }),
)
