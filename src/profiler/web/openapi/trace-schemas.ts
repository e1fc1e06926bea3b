// Schemas of what pages and other services report: errors and vitals of pages, spans.

import type {
  BrowserData,
  BrowserError,
  BrowserView,
  NavigationFacts,
  NavigationStep,
  WebVitals,
} from '../../browser/browser-data.ts'
import type { ReceivedSpans } from '../../traces/received-spans.ts'
import type { RecentTrace } from '../../traces/recent-traces.ts'
import type { LeftOut, PlacedSpan, TraceLine, TraceService } from '../../traces/trace.ts'
import type { Attributes, TraceEvent, TraceSpan } from '../../traces/trace-span.ts'
import type { RecentTracesJson, TraceJson } from '../trace/trace-page.ts'
import { instant, missingParts, nullableNumber, nullableText, sentences, token } from './profiles.ts'
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
  record,
  text,
  optional,
  type Schema,
} from './schema.ts'

const browserError: Schema<BrowserError> = object<BrowserError>({
  token,
  view: text(),
  number: integer(),
  kind: oneOf('error', 'rejection', 'console'),
  className: text(),
  message: text(),
  place: nullableText,
  url: text(),
  time: instant,
  count: integer(),
})

const navigation: Schema<NavigationFacts> = object<NavigationFacts>({
  type: text(),
  redirectCount: integer(),
  transferSize: integer(),
  steps: list(object<NavigationStep>({ name: text(), startMs: number(), endMs: number() })),
})

export const browser: Schema<BrowserData> = named(
  'BrowserData',
  'What the page reported: errors, web vitals, how it was loaded. `token` of an error: its profile, with frames and source.',
  object<BrowserData>({
    errors: list(browserError),
    views: list(
      object<BrowserView>({
        view: text(),
        url: text(),
        time: instant,
        userAgent: text(),
        vitals: object<WebVitals>({
          ttfbMs: nullableNumber,
          fcpMs: nullableNumber,
          lcpMs: nullableNumber,
          cls: nullableNumber,
          inpMs: nullableNumber,
        }),
        navigation: nullable(navigation),
        counts: list(integer()),
        dropped: integer(),
      }),
    ),
  }),
)

const plain = anyOf(text(), number(), boolean())
const attributes: Schema<Attributes> = record(anyOf(plain, list(plain)))

const events: Schema<readonly TraceEvent[]> = list(object<TraceEvent>({ name: text(), time: instant, attributes }))

export const traceSpan: Schema<TraceSpan> = named(
  'TraceSpan',
  'A span of a trace of several services, by the clock of its machine.',
  object<TraceSpan>({
    traceId: text(),
    spanId: text(),
    parentSpanId: nullableText,
    name: text(),
    kind: oneOf('internal', 'server', 'client', 'producer', 'consumer'),
    startTime: instant,
    durationMs: number(),
    status: oneOf('unset', 'ok', 'error'),
    statusMessage: nullableText,
    attributes,
    events,
  }),
)

export const spans: Schema<ReceivedSpans> = named(
  'ReceivedSpans',
  'Spans that another service sent. `dropped` more were not kept.',
  object<ReceivedSpans>({ spans: list(traceSpan), dropped: integer(), resource: attributes }),
)

const placedSpan: Schema<PlacedSpan> = named(
  'PlacedSpan',
  'A span in its place in a trace. `depth`: how many spans it is inside; `inside`: how many are inside it.',
  object<PlacedSpan>({
    spanId: text(),
    parentSpanId: nullableText,
    name: text(),
    kind: oneOf('internal', 'server', 'client', 'producer', 'consumer'),
    service: nullableText,
    token,
    hasProfile: boolean(),
    startMs: number(),
    durationMs: number(),
    depth: integer(),
    inside: integer(),
    errorsInside: integer(),
    parent: oneOf('none', 'there', 'missing', 'circle'),
    status: oneOf('unset', 'ok', 'error'),
    statusMessage: nullableText,
    attributes,
    events,
  }),
)

export const trace: Schema<TraceJson> = named(
  'Trace',
  'The spans of all services of a trace, each before those inside it. Times are since `startTime`, clocks corrected.',
  object<TraceJson>({
    traceId: text(),
    startTime: instant,
    durationMs: number(),
    services: list(
      object<TraceService>({
        name: nullableText,
        spanCount: integer(),
        errorCount: integer(),
        clockShiftMs: number(),
      }),
    ),
    spans: list(placedSpan),
    lines: list(object<TraceLine>({ name: text(), time: instant, attributes, service: nullableText })),
    profileCount: integer(),
    leftOut: object<LeftOut>({
      profiles: integer(),
      spans: integer(),
      unrecordedSpans: integer(),
      lines: integer(),
    }),
    missing: optional(missingParts),
    ignored: sentences,
  }),
)

export const recentTraces: Schema<RecentTracesJson> = named(
  'RecentTraces',
  'The newest traces of several requests.',
  object<RecentTracesJson>({
    traces: list(
      object<RecentTrace>({
        traceId: text(),
        services: list(text()),
        count: integer(),
        time: instant,
        subject: text(),
        hasError: boolean(),
      }),
    ),
    ignored: sentences,
  }),
)
