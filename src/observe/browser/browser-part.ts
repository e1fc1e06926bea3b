// What the pages of a request reported: their errors, how quick they were, and how they were loaded.

import * as v from 'valibot'
import { counted, formatBytes, formatCount, formatDuration, formatTime, type Tone } from '../../base/html/components.ts'
import { empty, facts, heading, idOf, note, place, recorded, table, text } from '../blocks/blocks.ts'
import type { Blocks, Card, Fact } from '../blocks/blocks.ts'
import type { DescribedPart } from '../blocks/described-part.ts'
import { browserSchema, countBrowserErrors } from './browser-data.ts'
import type { BrowserData, BrowserError, BrowserView, NavigationFacts } from './browser-data.ts'

export const browserPart: DescribedPart<BrowserData> = {
  name: 'browser',
  title: 'Browser',
  noun: 'error',
  empty: 'No report yet. Pages with the toolbar report two seconds after loading.',
  badge: (data) => {
    const count = countBrowserErrors(data)
    return count === 0 ? undefined : { count, tone: 'error', hint: counted(count, 'error') }
  },
  draw: (data, { token }) => {
    const { errors, views } = v.parse(browserSchema, data)
    return [
      errors.length === 0 ? empty('No errors.') : null,
      ...errors.map((error) => errorCard(error, token)),
      ...views.flatMap((view) => viewBlocks(view, views.length > 1)),
    ]
  },
}

const kinds: Readonly<Record<BrowserError['kind'], string>> = {
  error: 'not caught',
  rejection: 'rejected promise',
  console: 'console.error',
}

function errorCard({ token, kind, className, message, place: at, count, url, time }: BrowserError, own: string): Card {
  const link = [{ profile: token, panel: 'exception', subject: className }, idOf(token)]
  return {
    kind: 'card',
    head: [
      { mark: kinds[kind], tone: kind === 'console' ? 'warning' : 'error' },
      ...(token === own ? [recorded(className)] : link),
    ],
    name: recorded(message),
    time: count === 1 ? null : `${formatCount(count)} times`,
    facts: [place(at), { time }, recorded(url)],
    blocks: [],
  }
}

function viewBlocks({ dropped, navigation, userAgent, time, vitals: measured }: BrowserView, isNamed: boolean): Blocks {
  return [
    isNamed ? heading(`View at ${formatTime(time)}`) : null,
    note(dropped > 0 && `${counted(dropped, 'error')} more: a page reports 20 different errors.`),
    facts(
      'How quick the page was',
      vitals.map((vital) => vitalFact(vital, measured[vital.name])),
    ),
    ...(navigation === null ? [] : loading(navigation)),
    text(recorded(userAgent)),
  ]
}

interface Vital {
  readonly name: keyof BrowserView['vitals']
  readonly label: string
  /** Up to the first it is good, beyond the second poor. https://web.dev/articles/vitals */
  readonly bounds: readonly [good: number, poor: number]
}

const vitals: readonly Vital[] = [
  { name: 'lcpMs', label: 'Largest contentful paint', bounds: [2500, 4000] },
  { name: 'inpMs', label: 'Interaction to next paint', bounds: [200, 500] },
  { name: 'cls', label: 'Layout shift', bounds: [0.1, 0.25] },
  { name: 'fcpMs', label: 'First contentful paint', bounds: [1800, 3000] },
  { name: 'ttfbMs', label: 'Time to first byte', bounds: [800, 1800] },
]

function vitalFact({ name, label, bounds: [good, poor] }: Vital, value: number | null): Fact {
  if (value === null) return [label, 'not measured']
  const [mark, tone]: readonly [string, Tone] =
    value <= good ? ['good', 'success'] : value <= poor ? ['fair', 'warning'] : ['poor', 'error']
  return [label, [name === 'cls' ? String(Number(value.toFixed(3))) : formatDuration(value), { mark, tone }]]
}

function loading({ type, redirectCount, transferSize, steps }: NavigationFacts): Blocks {
  const totalMs = Math.max(1, ...steps.map(({ endMs }) => endMs))
  const size = transferSize === 0 ? 'from a cache' : formatBytes(transferSize)
  return [
    heading('Loading'),
    text([recorded(type), redirectCount > 0 ? `with ${counted(redirectCount, 'redirect')}, ${size}.` : `${size}.`]),
    steps.length === 0
      ? empty('The browser has not told how it loaded the page.')
      : table(
          'Loading of the page',
          'step',
          ['Step', 'When', { number: 'Duration' }],
          steps.map(({ name, startMs, endMs }) => [
            recorded(name),
            { lane: [[startMs / totalMs, endMs / totalMs]], series: 0 },
            formatDuration(endMs - startMs),
          ]),
        ),
  ]
}
