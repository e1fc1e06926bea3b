// Spans as flat lists: as they are recorded, and on the way to another thread. One object for each costs more than its values.

import type { Span, SpanKind } from './span.ts'

/** The spans of one request, in the order they began. */
export interface PackedSpans {
  /** Three for each span: name, kind, category. */
  readonly names: readonly string[]
  /** Four for each span: `id` of its parent (0 for none), start, duration (-1 while it runs), status. */
  readonly figures: readonly number[]
  /** By the place of the span, where it has some; `null` where none has. */
  readonly attributes: readonly (Span['attributes'] | null)[] | null
}

/** How many names and how many figures stand for one span. */
export const spanNames = 3
export const spanFigures = 4
/** Where among its figures a span's parent stands, its start, its duration and its status. */
export const figureAt = { parent: 0, start: 1, duration: 2, status: 3 } as const

/** What a status is written as: its place. */
export const spanStatuses: readonly Span['status'][] = ['unset', 'ok', 'error']

/** The spans of the lists, numbered in their order from 1. */
export function unpackSpans({ names, figures, attributes }: PackedSpans): readonly Span[] {
  const spans: Span[] = []
  for (let name = 0, figure = 0; name < names.length; name += spanNames, figure += spanFigures) {
    const parentId = figures[figure + figureAt.parent] ?? 0
    const durationMs = figures[figure + figureAt.duration] ?? -1
    spans.push({
      id: spans.length + 1,
      parentId: parentId === 0 ? null : parentId,
      name: names[name] ?? '',
      kind: names[name + 1] as SpanKind,
      category: names[name + 2] ?? '',
      startMs: figures[figure + figureAt.start] ?? 0,
      durationMs: durationMs < 0 ? null : durationMs,
      status: spanStatuses[figures[figure + figureAt.status] ?? 0] ?? 'unset',
      attributes: { ...attributes?.[spans.length] },
    })
  }
  return spans
}
