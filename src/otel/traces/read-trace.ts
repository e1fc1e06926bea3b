// Reads all that a store knows of a trace: our profiles, and spans and log lines that other services sent.

import { spansMethod, type Profile, type ProfileSummary } from '../../observe/profile.ts'
import { NotedReads, type MissingParts } from '../../profiles/profile-store.ts'
import { dataOf, type StoredLine } from '../../profiles/stored-data.ts'
import { spansOfProfile } from '../otlp/trace-request.ts'
import type { TraceEvent, TraceSpan } from '../../profiles/trace-span.ts'
import { rounded } from '../../observe/collectors/time.ts'

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

export interface PlacedTrace {
  /** When the first span began, milliseconds since 1970; 0 if there is none. */
  readonly startTime: number
  /** From the begin of the first span to the end of the last. */
  readonly durationMs: number
  /** In the order of their first spans. */
  readonly services: readonly TraceService[]
  /** Each before the spans inside it, which are in the order they began. */
  readonly spans: readonly PlacedSpan[]
}

/** Spans in any order; of spans with one ID the first counts. */
export function placeSpans(given: readonly SourcedSpan[]): PlacedTrace {
  const nodes = nodesOf(given)
  const clocks = new Clocks(nodes)
  const ordered = walk(nodes, clocks)
  const startTime = ordered.reduce((least, { startTime: time }) => Math.min(least, time), Number.POSITIVE_INFINITY)
  const endTime = ordered.reduce((most, { startTime: time, span }) => Math.max(most, time + span.durationMs), startTime)
  const spans = ordered.map((node): PlacedSpan => placed(node, startTime))
  return {
    startTime: spans.length === 0 ? 0 : startTime,
    durationMs: spans.length === 0 ? 0 : rounded(endTime - startTime),
    services: servicesOf(spans, clocks),
    spans,
  }
}

interface Node extends SourcedSpan {
  readonly children: Node[]
  parent: Node | null
  parentState: PlacedSpan['parent']
  depth: number
  inside: number
  errorsInside: number
  /** With the clock corrected. */
  startTime: number
}

function nodesOf(given: readonly SourcedSpan[]): readonly Node[] {
  const known = new Map<string, Node>()
  for (const { span, source } of given) {
    if (known.has(span.spanId)) continue
    const { spanId, startTime } = span
    known.set(spanId, {
      span,
      source,
      children: [],
      parent: null,
      parentState: 'none',
      depth: 0,
      inside: 0,
      errorsInside: 0,
      startTime,
    })
  }
  const nodes = [...known.values()]
  for (const node of nodes) {
    const { parentSpanId } = node.span
    if (parentSpanId === null) continue
    const parent = known.get(parentSpanId)
    node.parentState = parent === undefined ? 'missing' : 'there'
    node.parent = parent ?? null
    parent?.children.push(node)
  }
  breakCircles(nodes)
  return nodes
}

/** Takes one span out of each circle. */
function breakCircles(nodes: readonly Node[]): void {
  const cleared = new Set<Node>()
  for (const start of nodes) {
    const path = new Set<Node>()
    let node: Node | null = start
    while (node !== null && !cleared.has(node) && !path.has(node)) {
      path.add(node)
      node = node.parent
    }
    if (node !== null && path.has(node)) {
      node.parent?.children.splice(node.parent.children.indexOf(node), 1)
      node.parent = null
      node.parentState = 'circle'
    }
    for (const one of path) cleared.add(one)
  }
}

/** Depth first, in the order they began. Not by recursion: a trace may be as deep as it is long. */
function walk(nodes: readonly Node[], clocks: Clocks): readonly Node[] {
  const ordered: Node[] = []
  const roots = nodes.filter(({ parent }) => parent === null)
  for (const root of roots) root.startTime = clocks.startOf(root, null)
  const open = roots.toSorted(byStart).toReversed()
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    ordered.push(node)
    for (const child of node.children) {
      child.depth = node.depth + 1
      child.startTime = clocks.startOf(child, node)
    }
    open.push(...node.children.sort(byStart).reverse())
  }
  for (const { span, parent, inside, errorsInside } of ordered.toReversed()) {
    if (parent === null) continue
    parent.inside += inside + 1
    parent.errorsInside += errorsInside + (span.status === 'error' ? 1 : 0)
  }
  return ordered
}

function byStart(one: Node, other: Node): number {
  return one.startTime - other.startTime
}

/** Clocks that differ by less are taken as they are, in milliseconds: profiles begin at a whole millisecond. */
const toleranceMs = 5

/** A span without a parent that is further from the others says the wrong day, in milliseconds. */
const farMs = 86_400_000

class Clocks {
  readonly #middle: number
  /** The last correction of each service. */
  readonly #shifts = new Map<string | null, number>()
  readonly #largest = new Map<string | null, number>()

  constructor(nodes: readonly Node[]) {
    const times = Float64Array.from(nodes, ({ span }) => span.startTime).sort()
    this.#middle = times[times.length >> 1] ?? 0
  }

  largestShift(service: string | null): number {
    return this.#largest.get(service) ?? 0
  }

  /** When the span began by the clock of its parent. Without one it is only brought near to the others. */
  startOf({ span, source }: SourcedSpan, parent: Node | null): number {
    const { startTime } = span
    const { service } = source
    if (parent === null) {
      const isFar = Math.abs(startTime - this.#middle) > farMs
      return startTime + this.#noted(service, isFar ? this.#middle - startTime : 0)
    }
    const shift = parent.startTime - parent.span.startTime
    const isSameClock = parent.source.token === source.token || (span.kind !== 'server' && span.kind !== 'consumer')
    if (isSameClock) return startTime + (parent.source.service === service ? shift : this.#shiftOf(service))
    for (const known of [this.#shiftOf(service), 0]) {
      if (isWithin(startTime + known, parent, span.kind)) return startTime + this.#noted(service, known)
    }
    const room = parent.span.durationMs - span.durationMs
    return startTime + this.#noted(service, parent.startTime + Math.max(0, room / 2) - startTime)
  }

  #shiftOf(service: string | null): number {
    return this.#shifts.get(service) ?? 0
  }

  #noted(service: string | null, shift: number): number {
    this.#shifts.set(service, shift)
    if (Math.abs(shift) > Math.abs(this.largestShift(service))) this.#largest.set(service, shift)
    return shift
  }
}

/** A called service begins while the call runs; what was put into a queue begins at any time after that. */
function isWithin(startTime: number, parent: Node, kind: TraceSpan['kind']): boolean {
  const from = parent.startTime - toleranceMs
  return startTime >= from && (kind === 'consumer' || startTime <= from + parent.span.durationMs + 2 * toleranceMs)
}

function placed(
  { span, source, startTime, depth, inside, errorsInside, parentState }: Node,
  origin: number,
): PlacedSpan {
  const { traceId: _, startTime: __, ...told } = span
  const startMs = rounded(startTime - origin)
  return { ...told, ...source, startMs, depth, inside, errorsInside, parent: parentState }
}

function servicesOf(spans: readonly PlacedSpan[], clocks: Clocks): readonly TraceService[] {
  const byService = new Map<string | null, { spanCount: number; errorCount: number }>()
  for (const { service, status } of spans) {
    const counts = byService.get(service) ?? { spanCount: 0, errorCount: 0 }
    counts.spanCount += 1
    if (status === 'error') counts.errorCount += 1
    byService.set(service, counts)
  }
  return [...byService].map(([name, { spanCount, errorCount }]) => ({
    name,
    spanCount,
    errorCount,
    clockShiftMs: rounded(clocks.largestShift(name)),
  }))
}

export interface SpanSource {
  /** Name of the service; `null` where none was told. */
  readonly service: string | null
  /** Token of the profile, or of the record of another service, that holds the span. */
  readonly token: string
  /** Whether a page of a profile shows more of it: not for spans that another service sent. */
  readonly hasProfile: boolean
}

export interface SourcedSpan {
  readonly span: TraceSpan
  readonly source: SpanSource
}

export interface PlacedSpan extends Omit<TraceSpan, 'traceId' | 'startTime'>, SpanSource {
  /** Since the trace began, in milliseconds, clocks corrected. */
  readonly startMs: number
  readonly depth: number
  /** How many spans are inside it, at any depth. */
  readonly inside: number
  /** How many of those have the status `error`. */
  readonly errorsInside: number
  /** `missing`: it names a parent that is not there; `circle`: its parents lead back to it. Both are shown at depth 0. */
  readonly parent: 'none' | 'there' | 'missing' | 'circle'
}

export interface TraceService {
  readonly name: string | null
  readonly spanCount: number
  /** Spans with the status `error`. */
  readonly errorCount: number
  /** Milliseconds that its spans are shown later than its clock said; the largest correction. 0 if its clock agrees. */
  readonly clockShiftMs: number
}

/** A log line of another service. */
export interface TraceLine extends TraceEvent {
  readonly service: string | null
}

export interface Trace extends PlacedTrace {
  readonly traceId: string
  /** Log lines that name no span of the trace. */
  readonly lines: readonly TraceLine[]
  readonly profileCount: number
  /** What the trace has and its view does not. */
  readonly leftOut: {
    /** Profiles and records that were not read: the bounds are 500 and 10,000 spans. */
    readonly profiles: number
    /** Spans of profiles that were read. */
    readonly spans: number
    /** Spans that were not recorded, or not kept when they were received. */
    readonly unrecordedSpans: number
    /** Log lines beyond the bound of 500. */
    readonly lines: number
  }
  /** Parts of the store that did not respond. Default: all responded. */
  readonly missing?: MissingParts | undefined
}
