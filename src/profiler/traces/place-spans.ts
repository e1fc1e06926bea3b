// Nests the spans of a trace by their parents, over the borders of services, and brings the clocks of their machines together.

import { rounded } from '../collectors/time.ts'
import type { PlacedSpan, SourcedSpan, TraceService } from './trace.ts'
import type { TraceSpan } from './trace-span.ts'

export interface PlacedTrace {
  readonly startTime: number
  readonly durationMs: number
  readonly services: readonly TraceService[]
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
  const { spanId, parentSpanId, name, kind, durationMs, status, statusMessage, attributes, events } = span
  const { service, token, hasProfile } = source
  return {
    spanId,
    parentSpanId,
    name,
    kind,
    service,
    token,
    hasProfile,
    startMs: rounded(startTime - origin),
    durationMs,
    depth,
    inside,
    errorsInside,
    parent: parentState,
    status,
    statusMessage,
    attributes,
    events,
  }
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
