// Reads all that a store knows of a trace: our profiles, and spans and log lines that other services sent.

import { spansMethod, type Profile, type ProfileSummary } from '../profile.ts'
import { NotedReads } from '../query/missing-parts.ts'
import { dataOf, type StoredLine } from '../stored-data.ts'
import { placeSpans } from './place-spans.ts'
import { spansOfProfile } from './spans-of-profile.ts'
import type { SourcedSpan, SpanSource, Trace, TraceLine } from './trace.ts'
import type { TraceSpan } from './trace-span.ts'

/** Spans of a trace that are shown at most. */
export const maxTraceSpans = 10_000

/** Profiles and records of a trace that are read at most. */
const maxProfiles = 500

/** Log lines without a span at most. */
const maxLines = 500

/** Profiles of a trace that are counted at most. */
const maxCounted = 10_000

/** Reads of profiles that run at a time. */
const readsAtOnce = 25

type Reads = ConstructorParameters<typeof NotedReads>[0]

/** The trace; without spans if nothing is known of it. Rejects when the store fails. */
export async function readTrace(profiles: Reads, traceId: string): Promise<Trace> {
  const reads = new NotedReads(profiles)
  const { summaries, matched } = await summariesOf(reads, traceId)
  const gathered = new Gathered(traceId)
  let read = 0
  while (read < summaries.length && !gathered.isFull) {
    const next = summaries.slice(read, read + readsAtOnce)
    for (const profile of await Promise.all(next.map(({ token }) => reads.read(token)))) {
      if (profile !== undefined) gathered.add(profile)
    }
    read += next.length
  }
  const { spans, lines } = gathered.take()
  return {
    traceId,
    ...placeSpans(spans),
    lines,
    profileCount: read,
    leftOut: { profiles: matched - read, ...gathered.leftOut },
    missing: reads.missing,
  }
}

/** Our own profiles first: they are never crowded out by what others sent. In each kind the earliest first. */
async function summariesOf(
  reads: NotedReads,
  traceId: string,
): Promise<{ readonly summaries: readonly ProfileSummary[]; readonly matched: number }> {
  const found = new Map<string, ProfileSummary>()
  const own = await reads.find({ traceId }, { limit: 200 })
  for (const one of own.items) found.set(one.token, one)
  let matched = 0
  for (let after: string | null | undefined; after !== null && found.size < maxProfiles;) {
    const page = await reads.find(
      { traceId, withSubRequests: true },
      { limit: 200, countUpTo: maxCounted, ...(after === undefined ? {} : { after }) },
    )
    for (const one of page.items) if (found.size < maxProfiles) found.set(one.token, one)
    matched = Math.max(matched, page.matched ?? 0)
    after = page.next
  }
  const summaries = [...found.values()].sort((one, other) => rank(one) - rank(other) || one.time - other.time)
  return { summaries, matched: Math.max(matched, summaries.length) }
}

function rank({ method }: ProfileSummary): number {
  return method === spansMethod ? 1 : 0
}

class Gathered {
  readonly #traceId: string
  readonly #spans: SourcedSpan[] = []
  readonly #lines: (TraceLine & { readonly spanId: string | null })[] = []
  readonly leftOut = { spans: 0, unrecordedSpans: 0, lines: 0 }

  constructor(traceId: string) {
    this.#traceId = traceId
  }

  get isFull(): boolean {
    return this.#spans.length >= maxTraceSpans
  }

  add(profile: Profile): void {
    if (profile.method === spansMethod) return this.#addReceived(profile)
    this.leftOut.unrecordedSpans += dataOf(profile, 'time')?.droppedSpans ?? 0
    const source = sourceOf(profile, true)
    for (const span of spansOfProfile(profile)) this.#addSpan(span, source)
  }

  /** Puts log lines to the spans that they name. */
  take(): { readonly spans: readonly SourcedSpan[]; readonly lines: readonly TraceLine[] } {
    const bySpan = Map.groupBy(this.#lines, ({ spanId }) => spanId)
    const spans = this.#spans.map((sourced): SourcedSpan => {
      const { span, source } = sourced
      const lines = bySpan.get(span.spanId)
      if (lines === undefined) return sourced
      bySpan.delete(span.spanId)
      const events = lines.map(({ name, time, attributes }) => ({ name, time, attributes }))
      return { span: { ...span, events: [...span.events, ...events] }, source }
    })
    const lines = [...bySpan.values()].flat().sort((one, other) => one.time - other.time)
    return { spans, lines: lines.map(({ spanId: _, ...line }) => line) }
  }

  #addReceived(profile: Profile): void {
    const { spans = [], dropped = 0 } = dataOf(profile, 'spans') ?? {}
    this.leftOut.unrecordedSpans += dropped
    const source = sourceOf(profile, false)
    for (const span of spans) if (span.traceId === this.#traceId) this.#addSpan(span, source)
    for (const line of dataOf(profile, 'logger')?.records ?? []) this.#addLine(line, profile)
  }

  #addSpan(span: TraceSpan, source: SpanSource): void {
    if (this.isFull) this.leftOut.spans += 1
    else this.#spans.push({ span, source })
  }

  #addLine({ level, channel, message, context, timeMs }: StoredLine, { service, time }: Profile): void {
    if (this.#lines.length >= maxLines) {
      this.leftOut.lines += 1
      return
    }
    const { span_id: named } = context
    const spanId = typeof named === 'string' ? named : null
    const attributes = { 'log.severity': level, 'log.channel': channel, 'log.message': message }
    this.#lines.push({ name: 'log', time: time + timeMs, attributes, service, spanId })
  }
}

function sourceOf({ service, token }: Profile, hasProfile: boolean): SpanSource {
  return { service, token, hasProfile }
}
