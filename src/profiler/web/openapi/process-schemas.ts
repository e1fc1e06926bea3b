// Schemas of what the process says of itself: status, open requests, routes.

import type {
  OpenConnection,
  OpenRequest,
  OpenRequestsData,
  OpenWork,
  Standing,
} from '../../open-requests/open-requests.ts'
import type { OtlpStatus, ReceivingStatus, SendingStatus } from '../../otlp/otlp-status.ts'
import type { ProfileWriterStats } from '../../profile-writer.ts'
import type { RecordingPause } from '../../recording-pause.ts'
import type { RouteFacts, RouteFinding, RouteTrial, RouteTrialProblem } from '../../query/route-table.ts'
import type { FleetPaceState } from '../../sampling/fleet-pace.ts'
import type { CostStatus, PartStatus, StoreStatus } from '../../sampling/recorder-status.ts'
import type { LimitInForce } from '../../sampling/recording-rules.ts'
import type { SheddingFacts } from '../../shedding-view.ts'
import type { SamplerCounts, SheddingState } from '../../sampling/sampler.ts'
import type { RoutesPageView } from '../routes-view.ts'
import type { StatusJson } from '../status/status-page.ts'
import { suggestion } from './errors.ts'
import { fields, instant, nullableNumber, nullableText, sentences, storeStats, token } from './profiles.ts'
import { surroundings } from './recorded-data.ts'
import { routerTrace } from './request-parts.ts'
import {
  anyOf,
  anything,
  boolean,
  integer,
  list,
  named,
  nullable,
  number,
  object,
  oneOf,
  record,
  text,
  type Schema,
} from './schema.ts'

const work: Schema<OpenWork> = object<OpenWork>({
  name: text(),
  category: text(),
  detail: nullableText,
  startMs: number(),
  durationMs: nullableNumber,
})

const openRequest: Schema<OpenRequest> = named(
  'OpenRequest',
  'A request that has not ended, and where it is now.',
  object<OpenRequest>({
    token,
    method: text(),
    url: text(),
    route: nullableText,
    definedAt: nullableText,
    ip: text(),
    startedAt: instant,
    ageMs: number(),
    stands: object<Standing>({
      place: oneOf(
        'onRequest',
        'middleware',
        'hook',
        'onMatch',
        'onMiss',
        'guard',
        'validation',
        'around',
        'handler',
        'onError',
        'error page',
        'onResponse',
        'sending',
        'between',
      ),
      name: nullableText,
      forMs: nullableNumber,
    }),
    running: nullable(work),
    runningCount: integer(),
    lastCall: nullable(work),
    lastLog: nullableText,
    connection: nullable(
      object<OpenConnection>({
        protocol: oneOf('websocket', 'event-stream'),
        sent: integer(),
        received: integer(),
        lastMs: nullableNumber,
      }),
    ),
    isClientGone: nullable(boolean()),
    droppedSpans: integer(),
  }),
)

export const openRequests: Schema<OpenRequestsData> = named(
  'OpenRequests',
  'Requests of this process that have not ended, oldest first.',
  object<OpenRequestsData>({
    requests: list(openRequest),
    count: integer(),
    processId: integer(),
    takenAt: instant,
  }),
)

const route: Schema<RouteFacts> = named(
  'Route',
  'A route of the application. No methods or schemes: any.',
  object<RouteFacts>({
    name: text(),
    locale: nullableText,
    methods: sentences,
    path: text(),
    host: text(),
    schemes: sentences,
    requirements: record(text()),
    defaults: record(anything()),
    priority: number(),
    hasCondition: boolean(),
    handler: text(),
    definedAt: nullableText,
  }),
)

interface Redirect {
  readonly status: number
  readonly location: string
}

const trial: Schema<RouteTrial> = named(
  'RouteTrial',
  'Which route takes a request, and why the others do not.',
  object<RouteTrial>({
    method: text(),
    url: text(),
    path: text(),
    outcome: oneOf('match', 'redirect', 'not_found', 'method_not_allowed'),
    route: nullable(route),
    params: record(anything()),
    redirect: nullable(object<Redirect>({ status: integer(), location: text() })),
    allow: sentences,
    trace: routerTrace,
    suggestions: list(suggestion),
  }),
)

export const routes: Schema<RoutesPageView> = named(
  'RouteTable',
  'The routes of the application, faults of the table, and the request that was tried.',
  object<RoutesPageView>({
    routes: list(route),
    count: integer(),
    filter: text(),
    unused: nullable(object<NonNullable<RoutesPageView['unused']>>({ profiles: integer(), isCut: boolean() })),
    problems: list(
      object<RouteFinding>({
        kind: oneOf('duplicate-name', 'duplicate', 'unreachable', 'shadowed'),
        message: text(),
        route,
        by: route,
      }),
    ),
    typed: object<RoutesPageView['typed']>({ method: text(), url: text() }),
    trial: nullable<RouteTrial | RouteTrialProblem>(anyOf(trial, object<RouteTrialProblem>({ problem: text() }))),
    ignored: sentences,
  }),
)

const decided: Schema<SamplerCounts> = object<SamplerCounts>({
  recorded: integer(),
  asked: integer(),
  kept: integer(),
  keptFor: object<SamplerCounts['keptFor']>({ error: integer(), slow: integer(), 'n+1': integer() }),
  sampledOut: integer(),
  overPace: integer(),
  steppedAside: integer(),
  notAsked: integer(),
  paused: integer(),
  notKept: integer(),
  overShare: integer(),
  refusedTokens: object<SamplerCounts['refusedTokens']>({
    malformed: integer(),
    forged: integer(),
    expired: integer(),
    'valid for too long': integer(),
    'for another path': integer(),
  }),
})

const queue: Schema<ProfileWriterStats> = object<ProfileWriterStats>({
  queued: integer(),
  queuedBytes: integer(),
  written: integer(),
  dropped: integer(),
  refused: integer(),
  failures: integer(),
  isPaused: boolean(),
})

const fleet: Schema<FleetPaceState> = object<FleetPaceState>({
  budget: number(),
  perSecond: number(),
  demand: number(),
  processes: nullable(integer()),
  failure: nullable(object<NonNullable<FleetPaceState['failure']>>({ since: instant, reason: text() })),
})

const cost: Schema<CostStatus> = object<CostStatus>({
  timeShare: number(),
  cpuShare: number(),
  requestUs: number(),
  parts: list(
    object<PartStatus>({
      part: oneOf('begin', 'collect', 'write'),
      count: integer(),
      totalMs: number(),
      meanUs: number(),
    }),
  ),
})

const sending: Schema<SendingStatus> = object<SendingStatus>({
  address: text(),
  waiting: integer(),
  sent: integer(),
  dropped: integer(),
  refused: integer(),
  rejectedSpans: integer(),
  failures: integer(),
  problem: nullableText,
})

const receiving: Schema<ReceivingStatus> = object<ReceivingStatus>({
  requests: integer(),
  spans: integer(),
  logRecords: integer(),
  rejectedSpans: integer(),
  rejectedLogRecords: integer(),
  refused: integer(),
  problem: nullableText,
})

export const status: Schema<StatusJson> = named(
  'Status',
  'How the profiler itself is doing. Counts are of this process since its start.',
  object<StatusJson>({
    takenAt: instant,
    runningMs: number(),
    host: text(),
    processId: integer(),
    versions: fields,
    store: object<StoreStatus>({
      name: text(),
      problem: nullableText,
      stats: nullable(storeStats),
      failure: nullableText,
    }),
    decided,
    queue,
    lostLogLines: nullable(integer()),
    pause: nullable(object<RecordingPause>({ since: instant, by: text() })),
    shedding: nullable(object<SheddingFacts>({ limitMs: number(), lateMs: number(), turnedAway: integer() })),
    aside: nullable(
      object<SheddingState>({ loopDelayMs: number(), share: number(), reason: nullableText, times: integer() }),
    ),
    fleet: nullable(fleet),
    cost,
    otlp: object<OtlpStatus>({ sending: nullable(sending), receiving: nullable(receiving) }),
    limits: list(object<LimitInForce>({ name: text(), value: text(), from: text() })),
    notes: sentences,
    surroundings: nullable(surroundings),
  }),
)
