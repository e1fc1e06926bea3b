// Makes spans of other services, and the records in which a store keeps them.

import { spansMethod, type Profile } from '../../src/observe/profile.ts'
import { traceToken } from '../../src/profiles/trace-span.ts'
import type { TraceSpan } from '../../src/profiles/trace-span.ts'
import { makeProfile } from './profiles.ts'

export const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'

/** `id` and `parent` are the numbers of the spans. */
export interface SpanParts extends Partial<Omit<TraceSpan, 'spanId' | 'parentSpanId'>> {
  readonly id: number
  readonly parent?: number
}

export function spanId(id: number): string {
  return id.toString(16).padStart(16, '0')
}

/** An inner span of 1 ms that began at 0. */
export function makeSpan({ id, parent, ...parts }: SpanParts): TraceSpan {
  return {
    traceId,
    spanId: spanId(id),
    parentSpanId: parent === undefined ? null : spanId(parent),
    name: `span ${id}`,
    kind: 'internal',
    startTime: 0,
    durationMs: 1,
    status: 'unset',
    statusMessage: null,
    attributes: {},
    events: [],
    ...parts,
  }
}

/** The record of a batch. */
export function makeSpansProfile(service: string, spans: readonly TraceSpan[], parts: Partial<Profile> = {}): Profile {
  return makeProfile({
    method: spansMethod,
    parentToken: traceToken(traceId),
    traceId,
    service,
    url: `http://${service}/`,
    handler: spans[0]?.name ?? '',
    route: null,
    time: spans.reduce((least, { startTime }) => Math.min(least, startTime), Date.now()),
    data: { spans: { spans, dropped: 0, resource: { 'service.name': service } } },
    ...parts,
  })
}
