// A profile as spans of its trace: the request, its inner spans, its errors and log lines, in the words of the OpenTelemetry semantic
// conventions, and as the body of an OTLP request.

import { fieldValue } from '../../base/http/header-fields.ts'
import { parseTraceparent } from '../../observe/outgoing/trace-context.ts'
import { runTypeOf, type Profile } from '../../observe/profile.ts'
import { dataOf, type StoredChain, type StoredParts, type StoredSpan } from '../../profiles/stored-data.ts'
import { subjectOf } from '../../profiles/profile-facts.ts'
import { profileSpanId, profileTraceId, traceSpanKinds, traceSpanStatuses } from '../../profiles/trace-span.ts'
import type { Attributes, AttributeValue, TraceEvent, TraceSpan } from '../../profiles/trace-span.ts'
import type { OtlpProtocol } from '../../http/config/variables.ts'
import { packageVersion } from '../../base/own-package.ts'
import { type AnyValue, type KeyValue, type OtlpSpan, type TraceRequest, encodeProtobuf } from './messages.ts'

/** The span of the request first, then those inside it in the order they began. */
export function spansOfProfile(profile: Profile): readonly TraceSpan[] {
  const { token, parentToken, time, durationMs } = profile
  const traceId = profile.traceId ?? profileTraceId(parentToken ?? token)
  const spans = dataOf(profile, 'time')?.spans ?? []
  const calls = [...(dataOf(profile, 'http-client')?.calls ?? [])]
  const ids = new Map<number, string>()
  for (const [index, span] of spans.entries()) {
    ids.set(span.id, sentSpanId(span, calls) ?? profileSpanId(token, index + 1))
  }
  const rootId = profileSpanId(token, 0)
  const inner = spans.map((span, index): TraceSpan => {
    const { parentId, name, kind, startMs, status, attributes } = span
    return {
      traceId,
      spanId: ids.get(span.id) ?? profileSpanId(token, index + 1),
      parentSpanId: (parentId === null ? undefined : ids.get(parentId)) ?? rootId,
      name,
      kind,
      startTime: time + startMs,
      durationMs: Math.max(0, span.durationMs ?? durationMs - startMs),
      status,
      statusMessage: null,
      attributes,
      events: [],
    }
  })
  return [rootSpan(profile, traceId, rootId), ...inner]
}

/** The id that an outgoing request named to the service that it called. Spans and calls are both in the order they began; calls may be missing. */
function sentSpanId(span: StoredSpan, calls: StoredParts['http-client']['calls'][number][]): string | null {
  if (span.kind !== 'client' || span.category !== 'http') return null
  const { 'url.full': url, 'http.request.method': method } = span.attributes
  const index = calls.findIndex((call) => call.url === url && call.method === method)
  return calls.splice(index, index < 0 ? 0 : 1)[0]?.spanId ?? null
}

function rootSpan(profile: Profile, traceId: string, spanId: string): TraceSpan {
  const { parentToken, time, durationMs, status } = profile
  const isRun = runTypeOf(profile.method) !== undefined
  const hasFailed = status === 0 || status >= 500
  // The route of a GraphQL operation ends with its name.
  const subject = profile.data['graphql'] === undefined ? patternOf(profile) : profile.route
  return {
    traceId,
    spanId,
    parentSpanId: parentToken === null ? callerOf(profile) : profileSpanId(parentToken, 0),
    name: isRun ? subjectOf(profile) : [profile.method, subject].filter(Boolean).join(' '),
    kind: isRun || parentToken !== null ? 'internal' : 'server',
    startTime: time,
    durationMs,
    status: hasFailed ? 'error' : 'unset',
    statusMessage: hasFailed ? profile.errorMessage : null,
    attributes: isRun ? { 'fanlight.token': profile.token } : requestAttributes(profile),
    events: [...logEvents(profile), ...errorEvents(profile)],
  }
}

function callerOf(profile: Profile): string | null {
  const headers = dataOf(profile, 'request')?.headers ?? []
  const value = fieldValue(headers, 'traceparent') ?? ''
  const named = parseTraceparent(value)
  return named?.traceId === profile.traceId ? named.parentSpanId : null
}

function patternOf(profile: Profile): string | null {
  return dataOf(profile, 'router')?.pattern ?? null
}

function requestAttributes(profile: Profile): Attributes {
  const { method, url, status, ip, route, errorClass, token, handler } = profile
  const address = URL.canParse(url) ? new URL(url) : null
  const request = dataOf(profile, 'request')
  const agent = fieldValue(request?.headers ?? [], 'user-agent') ?? null
  return known({
    'http.request.method': method,
    'http.response.status_code': status === 0 ? null : status,
    'http.route': patternOf(profile),
    'url.scheme': address?.protocol.slice(0, -1),
    // As it was recorded: a URL changes the spelling of what is masked.
    'url.path': /^[a-z]+:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1],
    'url.query': /^[^?#]*\?([^#]*)/.exec(url)?.[1],
    'server.address': address?.hostname,
    'server.port': address === null || address.port === '' ? null : Number(address.port),
    'client.address': ip === '' ? null : ip,
    'user_agent.original': agent,
    'http.response.body.size': request?.bytes,
    'error.type': errorClass ?? (status >= 500 ? String(status) : null),
    'code.function.name': handler === '' ? null : handler,
    'fanlight.route': route,
    'fanlight.token': token,
  })
}

function known(values: Readonly<Record<string, AttributeValue | null | undefined>>): Attributes {
  const entries = Object.entries(values).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [[name, value] as const],
  )
  return Object.fromEntries(entries)
}

/** One event with the whole chain: OpenTelemetry has no word for causes. */
function errorEvents(profile: Profile): readonly TraceEvent[] {
  const chain = dataOf(profile, 'exception')
  const [outermost] = chain?.errors ?? []
  if (chain === undefined || outermost === undefined) return []
  const attributes = {
    'exception.type': outermost.className,
    'exception.message': outermost.message,
    'exception.stacktrace': stackOf(chain).slice(0, maxStackLength),
  }
  return [{ name: 'exception', time: profile.time + profile.durationMs, attributes }]
}

const maxStackLength = 16_000

function stackOf({ errors }: StoredChain): string {
  const texts = errors.map(({ className, message, frames }) =>
    [
      `${className}: ${message}`,
      ...frames.map(({ functionName, file, line, column }) => {
        const place = line === 0 ? file : `${file}:${line}:${column}`
        return `    at ${functionName === null ? place : `${functionName} (${place})`}`
      }),
    ].join('\n'),
  )
  return texts.join('\nCaused by: ')
}

/** Log lines are events: a backend for traces alone keeps them, too. */
function logEvents(profile: Profile): readonly TraceEvent[] {
  const lines = dataOf(profile, 'logger')?.records ?? []
  return lines.map(({ level, channel, message, context, timeMs }) => ({
    name: 'log',
    time: profile.time + timeMs,
    attributes: {
      'log.severity': level,
      'log.channel': channel,
      'log.message': message,
      ...Object.fromEntries(
        Object.entries(context).map(([name, value]) => [`log.context.${name}`, attributeOf(value)] as const),
      ),
    },
  }))
}

function attributeOf(value: unknown): AttributeValue {
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return isPlain ? value : (JSON.stringify(value) ?? '')
}

export const otlpContentTypes: Readonly<Record<OtlpProtocol, string>> = {
  'http/protobuf': 'application/x-protobuf',
  'http/json': 'application/json',
}

/** The body of a request. Expects masked profiles. */
export function encodeTraces(profiles: readonly Profile[], protocol: OtlpProtocol): Buffer {
  const request = traceRequest(profiles)
  return protocol === 'http/json' ? Buffer.from(JSON.stringify(request)) : encodeProtobuf('TraceRequest', request)
}

/** One entry for each process that the profiles are of. */
export function traceRequest(profiles: readonly Profile[]): TraceRequest {
  const scope = { name: 'fanlight', version: packageVersion() }
  const processes = Map.groupBy(profiles, (profile) => JSON.stringify(resourceOf(profile)))
  const resourceSpans = [...processes.values()].map((group) => ({
    resource: { attributes: group.slice(0, 1).flatMap((profile) => keyValues(resourceOf(profile))) },
    scopeSpans: [{ scope, spans: group.flatMap((profile) => spansOfProfile(profile).map(otlpSpan)) }],
  }))
  return { resourceSpans }
}

function resourceOf(profile: Profile): Attributes {
  const config = dataOf(profile, 'config') ?? {}
  const text = (name: string, member: string): Attributes => {
    const value = config[member]
    return typeof value === 'string' || typeof value === 'number' ? { [name]: value } : {}
  }
  return {
    // So OpenTelemetry calls a service that has no name.
    'service.name': profile.service ?? 'unknown_service:node',
    ...(profile.version === null ? {} : { 'service.version': profile.version }),
    ...text('deployment.environment.name', 'environment'),
    ...text('host.name', 'host'),
    ...text('process.pid', 'processId'),
    'process.runtime.name': 'nodejs',
    ...text('process.runtime.version', 'node'),
    'telemetry.sdk.name': 'fanlight',
    'telemetry.sdk.language': 'nodejs',
    ...text('telemetry.sdk.version', 'fanlight'),
  }
}

function otlpSpan(span: TraceSpan): OtlpSpan {
  const { traceId, spanId, parentSpanId, name, kind, startTime, durationMs, status, statusMessage } = span
  return {
    traceId,
    spanId,
    ...(parentSpanId === null ? {} : { parentSpanId }),
    name,
    kind: traceSpanKinds.indexOf(kind) + 1,
    startTimeUnixNano: nanoseconds(startTime),
    endTimeUnixNano: nanoseconds(startTime + durationMs),
    attributes: keyValues(span.attributes),
    events: span.events.map((event) => ({
      timeUnixNano: nanoseconds(event.time),
      name: event.name,
      attributes: keyValues(event.attributes),
    })),
    status: {
      code: traceSpanStatuses.indexOf(status),
      ...(statusMessage === null ? {} : { message: statusMessage }),
    },
  }
}

/** A number of them is not exact, so they are digits. */
function nanoseconds(epochMs: number): string {
  return String(BigInt(Math.max(0, Math.round(epochMs * 1000))) * 1000n)
}

function keyValues(attributes: Attributes): readonly KeyValue[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }))
}

function anyValue(value: AttributeValue): AnyValue {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value !== 'number') return { arrayValue: { values: value.map(anyValue) } }
  // JSON has 64-bit integers as digits.
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
