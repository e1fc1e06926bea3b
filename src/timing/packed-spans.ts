// Spans as one flat list, for the way to another thread: copying many small objects costs more than copying their values.

import type { Span, SpanKind } from './span.ts'

/** Seven values for each span: parent, name, kind, category, start, duration, status; and its attributes, or `null`. */
export type PackedSpans = readonly (string | number | null | Span['attributes'])[]

/** Values that stand for one span. */
const width = 8

/** The spans of a list, numbered in their order from 1. */
export function unpackSpans(packed: PackedSpans): readonly Span[] {
  const spans: Span[] = []
  for (let at = 0; at < packed.length; at += width) {
    const [parentId, name, kind, category, startMs, durationMs, status, attributes] = packed.slice(at, at + width)
    spans.push({
      id: spans.length + 1,
      parentId: parentId as number | null,
      name: name as string,
      kind: kind as SpanKind,
      category: category as string,
      startMs: startMs as number,
      durationMs: durationMs as number | null,
      status: status as Span['status'],
      attributes: (attributes ?? {}) as Span['attributes'],
    })
  }
  return spans
}
