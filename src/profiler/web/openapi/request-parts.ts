// Schemas of what is recorded of the request itself: request and response, log, steps, routing, dumps, configuration, commands.

import type { CommandData, KeptOutput, ProgramData, ProgramUsage } from '../../collectors/command.ts'
import type { ConfigData } from '../../collectors/config.ts'
import type { Dump, DumpData } from '../../collectors/dump.ts'
import type { EventsData, ListenerCall } from '../../collectors/events.ts'
import type { LoggerData } from '../../collectors/logger.ts'
import type { RequestData } from '../../collectors/request.ts'
import type { RouterData } from '../../collectors/router.ts'
import type { RedirectStep, RouterTraceEntry } from '../../request-record.ts'
import type { LogRecord } from '../../../framework/log/record-logger.ts'
import type { BodyContent, CapturedBody } from '../../../framework/recording/captured-body.ts'
import { suggestion } from './errors.ts'
import { fields, instant, nullableNumber, nullableText, sentences, token } from './profiles.ts'
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
  optional,
  record,
  text,
  type Schema,
} from './schema.ts'
import { dumpedMembers, plainValue, recordedChild } from './values.ts'

const body: Schema<CapturedBody> = named(
  'CapturedBody',
  'The body of a request, as far as it was captured.',
  object<CapturedBody>({
    state: oneOf('none', 'off', 'no-route', 'unread', 'kept'),
    mediaType: text(),
    declaredBytes: nullable(integer()),
    readBytes: integer(),
    keptBytes: integer(),
    isComplete: boolean(),
    content: nullable<BodyContent>(
      anyOf(
        object<Extract<BodyContent, { kind: 'json' }>>({ kind: oneOf('json'), value: plainValue }),
        object<Extract<BodyContent, { kind: 'form' }>>({ kind: oneOf('form'), fields }),
        object<Extract<BodyContent, { kind: 'text' }>>({ kind: oneOf('text'), text: text() }),
        object<Extract<BodyContent, { kind: 'binary' }>>({ kind: oneOf('binary') }),
      ),
    ),
  }),
)

export const request: Schema<RequestData> = named(
  'RequestData',
  'The request and its response. Everything is masked.',
  object<RequestData>({
    method: text(),
    url: text(),
    path: text(),
    scheme: text(),
    host: text(),
    clientAddress: text(),
    peerAddress: text(),
    handler: text(),
    route: nullableText,
    routeParameters: fields,
    query: fields,
    cookies: fields,
    headers: fields,
    body: optional(body),
    status: integer(),
    responseHeaders: fields,
    bytes: nullable(integer()),
    aborted: boolean(),
    subRequests: list(recordedChild),
    redirectedBy: optional(list(object<RedirectStep>({ token, method: text(), status: integer() }))),
  }),
)

const logRecord: Schema<LogRecord> = named(
  'LogLine',
  'A line of the log, with values in its context.',
  object<LogRecord>({
    level: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace'),
    channel: text(),
    message: text(),
    context: record(anything()),
    timeMs: number(),
    leftOutBefore: optional(integer()),
  }),
)

export const logger: Schema<LoggerData> = named(
  'LoggerData',
  'The log of the request. `dropped` lines were not kept.',
  object<LoggerData>({ records: list(logRecord), dropped: integer() }),
)

interface NotCalled {
  readonly listener: string
  readonly moment: string
}

export const events: Schema<EventsData> = named(
  'EventsData',
  'The steps of the request: listeners, middleware, hooks.',
  object<EventsData>({
    calls: list(
      object<ListenerCall>({
        listener: text(),
        moment: text(),
        startMs: number(),
        durationMs: nullableNumber,
        ownMs: nullableNumber,
        hasFailed: boolean(),
      }),
    ),
    notCalled: nullable(list(object<NotCalled>({ listener: text(), moment: text() }))),
    dropped: integer(),
  }),
)

export const routerTrace: Schema<readonly RouterTraceEntry[]> = list(
  named(
    'RouteMatch',
    'Whether one route matched, and why not.',
    object<RouterTraceEntry>({
      route: text(),
      pattern: text(),
      outcome: oneOf('match', 'almost', 'no'),
      reason: text(),
      definedAt: nullableText,
    }),
  ),
)

export const router: Schema<RouterData> = named(
  'RouterData',
  'The result of routing. `trace` and `suggestions` are empty if a route matched.',
  object<RouterData>({
    path: text(),
    method: text(),
    route: nullableText,
    pattern: nullableText,
    definedAt: nullableText,
    parameters: fields,
    trace: routerTrace,
    droppedRoutes: integer(),
    suggestions: list(suggestion),
  }),
)

export const dump: Schema<DumpData> = named(
  'DumpData',
  'What the code dumped.',
  object<DumpData>({
    dumps: list(
      object<Dump>({
        ...dumpedMembers,
        label: nullableText,
        functionName: nullableText,
        place: nullableText,
        timeMs: number(),
      }),
    ),
    dropped: integer(),
  }),
)

export const config: Schema<ConfigData> = named(
  'ConfigData',
  'Versions, environment and limits of the application.',
  object<ConfigData>({
    version: nullableText,
    service: nullableText,
    fanlight: text(),
    node: text(),
    v8: text(),
    platform: text(),
    environment: text(),
    debug: boolean(),
    lock: nullable(integer()),
    currency: nullableText,
    store: text(),
    storeProblem: nullableText,
    timeZone: text(),
    locale: text(),
    host: text(),
    processId: integer(),
    startedAt: instant,
    limits: fields,
  }),
)

const output: Schema<KeptOutput> = object<KeptOutput>({ head: text(), leftOutBytes: integer(), tail: text() })

interface ProgramOutput {
  readonly stdout: KeptOutput
  readonly stderr: KeptOutput
}

export const command: Schema<CommandData> = named(
  'CommandData',
  'What was run from the command line.',
  object<CommandData>({
    name: text(),
    args: sentences,
    exitCode: nullable(integer()),
    program: optional(
      object<ProgramData>({
        signal: nullableText,
        startFailure: nullableText,
        isRecordedInside: boolean(),
        unrecordedMs: optional(number()),
        usage: nullable(object<ProgramUsage>({ cpuMs: number(), peakMemoryBytes: integer() })),
        output: nullable(object<ProgramOutput>({ stdout: output, stderr: output })),
      }),
    ),
  }),
)
