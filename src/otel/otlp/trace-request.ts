// Profiles as the body of an OTLP request for traces.

import type { OtlpProtocol } from '../../http/config/variables.ts'
import { packageVersion } from '../../base/own-package.ts'
import type { Profile } from '../../observe/profile.ts'
import { dataOf } from '../../profiles/stored-data.ts'
import { spansOfProfile } from '../traces/spans-of-profile.ts'
import { traceSpanKinds, traceSpanStatuses } from '../../profiles/trace-span.ts'
import type { Attributes, AttributeValue, TraceSpan } from '../../profiles/trace-span.ts'
import type { AnyValue, KeyValue, OtlpSpan, TraceRequest } from './messages.ts'
import { encodeProtobuf } from './protobuf.ts'

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
