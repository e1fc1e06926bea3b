// What delayed a request, which others it delayed, and which of its waits could have run side by side.

import { counted, formatDuration } from '../base/html/components.ts'
import { cutText } from '../base/redact/cut-text.ts'
import { loadingCategory, type Span } from '../base/timing/stopwatch.ts'
import { idOf, note, place, recorded, text } from '../observe/blocks/blocks.ts'
import type { Block, Blocks, Line } from '../observe/blocks/blocks.ts'
import type { SequentialWait } from '../observe/outgoing/sequential-waits.ts'
import type { LoopHindrance, TimeData } from '../observe/collectors/time.ts'
import { tokenPattern } from '../observe/profile.ts'

/** Waits below this, in milliseconds, are not worth a sentence. */
export const worthTellingMs = 1

/** Profiles of an earlier version, and files from elsewhere, may lack what is known of the loop. */
export type Delays = Partial<
  Pick<TimeData, 'blocked' | 'blockedBy' | 'heldBackMs' | 'droppedHindrances' | 'sequentialWaits'>
> & { readonly spans: readonly Pick<Span, 'category' | 'durationMs'>[] }

export function delayBlocks(data: Delays): Blocks {
  const { spans, blocked = [], blockedBy = [], heldBackMs = 0, droppedHindrances = 0, sequentialWaits = [] } = data
  const load = spans.find(({ category }) => category === loadingCategory)
  const before = blockedBy.filter(({ fromMs, durationMs }) => fromMs + durationMs <= 0)
  const during = blockedBy.filter((hindrance) => !before.includes(hindrance))
  const loaded = 'Fanlight loaded the code that renders error pages. Later error pages take a fraction of this.'
  const others = counted(groupsOf(blocked).length, 'other request')
  return [
    note(
      load !== undefined && [
        { strong: `Waited ${formatDuration(load.durationMs ?? 0)} for the first error page:` },
        loaded,
      ],
      'info',
    ),
    ...hindered(during, 'of this request’s time', [
      { strong: `Blocked for ${total(during)}:` },
      'this request was ready, but the event loop was running other code.',
    ]),
    ...hindered(heldBackMs >= worthTellingMs ? before : [], 'before it began', [
      { strong: `Delayed up to ${formatDuration(heldBackMs)} before start:` },
      'the event loop was running other code when this request arrived.',
    ]),
    ...hindered(blocked, 'of waiting', [
      { strong: `Held up ${others}, ${total(blocked)} total:` },
      'they waited while code of this request ran.',
    ]),
    text(droppedHindrances > 0 && `${droppedHindrances} more were not recorded.`),
    ...sideBySide(sequentialWaits),
  ]
}

function sideBySide(waits: readonly SequentialWait[]): Blocks {
  if (waits.length === 0) return []
  const saved = waits.reduce((sum, { savedMs }) => sum + savedMs, 0)
  const items = waits.map(({ first, second, count, savedMs }): Line => {
    const upTo = `up to ${formatDuration(savedMs)}${count > 1 ? `, ${count} times` : ''}`
    return [place(first), 'then', place(second), { quiet: upTo }]
  })
  const less: Line = [
    { strong: `Up to ${formatDuration(saved)} less with Promise.all():` },
    'these waits do not use each other’s results. A single database connection would still run its queries one after another.',
  ]
  return [note(less, 'info'), { kind: 'list', items }]
}

/** `what` the time of each is. Of nothing but untracked work the sentence says all. */
function hindered(list: readonly LoopHindrance[], what: string, sentence: Line): readonly (Block | null)[] {
  const groups = groupsOf(list)
  const items = groups.map((same): Line => {
    const stretches = same.length === 1 ? '' : ` in ${same.length} stretches`
    return named(`${total(same)} ${what}${stretches}:`, same[0])
  })
  const isNamed = list.some(({ token }) => token !== null)
  return [note(list.length > 0 && sentence), isNamed ? { kind: 'list', items } : null]
}

/** One for each other request, in the order they came. */
function groupsOf(list: readonly LoopHindrance[]): readonly (readonly [LoopHindrance, ...LoopHindrance[]])[] {
  return [...Map.groupBy(list, ({ token }) => token).values()].flatMap(([first, ...more]) =>
    first === undefined ? [] : [[first, ...more] as const],
  )
}

function total(list: readonly LoopHindrance[]): string {
  return formatDuration(list.reduce((sum, { durationMs }) => sum + durationMs, 0))
}

/** With the other request and a link to its profile, or what else it was. */
function named(time: string, { token, method, path }: LoopHindrance): Line {
  if (token === null) return [time, 'untracked work']
  const name = recorded(cutText(`${method ?? ''} ${path ?? ''}`, 200))
  return tokenPattern.test(token) ? [time, name, { profile: token, panel: 'time' }, idOf(token)] : [time, name]
}
