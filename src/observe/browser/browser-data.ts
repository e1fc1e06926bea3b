// What is kept of reports: one profile for each error and for each state of a view, and the gathering of those of one page.

import * as v from 'valibot'
import { counted, formatBytes, formatCount, formatDuration, formatTime, type Tone } from '../../base/html/components.ts'
import { empty, facts, heading, idOf, note, place, recorded, table, text } from '../blocks/blocks.ts'
import type { Blocks, Card, Fact } from '../blocks/blocks.ts'
import type { DescribedPart } from '../blocks/described-part.ts'

/** Bytes of a report at most: browsers send no larger one when a page is left. */
export const maxReportBytes: number = 64 * 1024
/** Distinct errors that a view of a page reports. */
const maxViewErrors = 20

export interface BrowserReport {
  readonly view: string
  readonly url: string
  readonly errors: readonly ReportedError[]
  /** Missing before the page is loaded. */
  readonly facts?: ReportedFacts | undefined
}

/** An error of a report, with its causes: the outermost first. */
export interface ReportedError extends Pick<BrowserError, 'number' | 'kind' | 'count' | 'url'> {
  /** `http://127.0.0.1:8000/app.js:12:5`; empty if only the stack says it. */
  readonly place: string
  readonly chain: readonly { readonly name: string; readonly message: string; readonly stack: string }[]
}

interface ReportedFacts {
  readonly vitals: Readonly<Record<'fcpMs' | 'lcpMs' | 'cls' | 'inpMs', number | null>>
  readonly navigation?: ReportedNavigation | undefined
  readonly dropped: number
  readonly counts: readonly number[]
}

/** As in `PerformanceNavigationTiming`. */
export interface ReportedNavigation extends Readonly<Record<(typeof moments)[number], number | null>> {
  readonly type: string
  readonly redirectCount: number
  readonly transferSize: number
}

const moments = [
  'activationStart',
  'domainLookupStart',
  'domainLookupEnd',
  'connectStart',
  'connectEnd',
  'requestStart',
  'responseStart',
  'responseEnd',
  'domInteractive',
  'domContentLoadedEventEnd',
  'loadEventEnd',
] as const

const shortText = v.pipe(v.string(), v.maxLength(200))
const address = v.pipe(v.string(), v.maxLength(2100))
const count = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1e9))
/** Up to a day; anything else counts as not measured. */
const milliseconds = v.fallback(v.nullable(v.pipe(v.number(), v.minValue(0), v.maxValue(86_400_000))), null)

const schema: v.GenericSchema<unknown, BrowserReport> = v.object({
  view: v.pipe(v.string(), v.regex(/^[0-9a-z]{1,16}$/)),
  url: address,
  errors: v.pipe(
    v.array(
      v.object({
        number: v.pipe(count, v.maxValue(maxViewErrors - 1)),
        kind: v.picklist(['error', 'rejection', 'console']),
        count,
        url: address,
        place: address,
        chain: v.pipe(
          v.array(
            v.object({
              name: shortText,
              message: v.pipe(v.string(), v.maxLength(1000)),
              stack: v.pipe(v.string(), v.maxLength(4000)),
            }),
          ),
          v.minLength(1),
          v.maxLength(4),
        ),
      }),
    ),
    v.maxLength(maxViewErrors),
  ),
  facts: v.optional(
    v.object({
      vitals: v.object({
        fcpMs: milliseconds,
        lcpMs: milliseconds,
        cls: v.fallback(v.nullable(v.pipe(v.number(), v.minValue(0), v.maxValue(1000))), null),
        inpMs: milliseconds,
      }),
      navigation: v.optional(
        v.object({
          type: shortText,
          redirectCount: v.fallback(count, 0),
          transferSize: v.fallback(count, 0),
          ...v.entriesFromList(moments, milliseconds),
        }),
      ),
      dropped: count,
      counts: v.pipe(v.array(count), v.maxLength(maxViewErrors)),
    }),
  ),
})

/** Reads a report; otherwise a sentence that says what is wrong with it. Never throws. */
export function readBrowserReport(text: string): { readonly report: BrowserReport } | { readonly problem: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { problem: 'The report is not JSON.' }
  }
  const read = v.safeParse(schema, value, { abortEarly: true })
  if (read.success) return { report: read.output }
  const [issue] = read.issues
  return { problem: `The report cannot be used at "${v.getDotPath(issue) ?? ''}": ${issue.message}`.slice(0, 300) }
}

/** What pages reported. A profile of a report holds one error or one view; that of the page holds all of them. */
export interface BrowserData {
  readonly errors: readonly BrowserError[]
  readonly views: readonly BrowserView[]
}

interface BrowserError {
  /** Of the profile that has its chain. */
  readonly token: string
  /** Names the view of the page. */
  readonly view: string
  /** Counts the errors of the view, from 0. */
  readonly number: number
  /** `error`: nothing caught it; `rejection`: of a promise; `console`: `console.error`. */
  readonly kind: 'error' | 'rejection' | 'console'
  readonly className: string
  /** At most 300 characters. */
  readonly message: string
  /** `src/cart.ts:12`; `null` if no file of the project is known. */
  readonly place: string | null
  /** Of the page when it happened. */
  readonly url: string
  /** When the report arrived, milliseconds since 1970. */
  readonly time: number
  /** How often it happened. */
  readonly count: number
}

/** A view of a page, as it last reported. Milliseconds are since the navigation began; `null`: not measured. */
export interface BrowserView {
  readonly view: string
  readonly url: string
  /** When the report arrived, milliseconds since 1970. */
  readonly time: number
  readonly userAgent: string
  readonly vitals: WebVitals
  readonly navigation: NavigationFacts | null
  /** How often each error of the view happened, by its number. */
  readonly counts: readonly number[]
  /** Errors that were not reported, because 20 others had been. */
  readonly dropped: number
}

/** https://web.dev/articles/vitals */
interface WebVitals {
  /** Time to first byte. */
  readonly ttfbMs: number | null
  /** First contentful paint. */
  readonly fcpMs: number | null
  /** Largest contentful paint. */
  readonly lcpMs: number | null
  /** Cumulative layout shift, without a unit. */
  readonly cls: number | null
  /** Interaction to next paint. */
  readonly inpMs: number | null
}

/** How the page was loaded. */
export interface NavigationFacts {
  /** `navigate`, `reload`, `back_forward`, `prerender`. */
  readonly type: string
  readonly redirectCount: number
  /** Bytes of header and body; 0 from a cache. */
  readonly transferSize: number
  /** In order; those that were not measured are left out. */
  readonly steps: readonly NavigationStep[]
}

export interface NavigationStep {
  /** `name look-up`, `connection`, `waiting`, `download`, `document`, `scripts`, `load`. */
  readonly name: string
  readonly startMs: number
  readonly endMs: number
}

const optionalNumber = v.nullable(v.number())

/** Reads what a profile holds; an imported profile may hold anything. */
export const browserSchema: v.GenericSchema<unknown, BrowserData> = v.object({
  errors: v.array(
    v.object({
      token: v.pipe(v.string(), v.regex(/^[0-9a-z]{10,16}$/)),
      view: v.string(),
      number: v.number(),
      kind: v.picklist(['error', 'rejection', 'console']),
      className: v.string(),
      message: v.string(),
      place: v.nullable(v.string()),
      url: v.string(),
      time: v.number(),
      count: v.number(),
    }),
  ),
  views: v.array(
    v.object({
      view: v.string(),
      url: v.string(),
      time: v.number(),
      userAgent: v.string(),
      vitals: v.object({
        ttfbMs: optionalNumber,
        fcpMs: optionalNumber,
        lcpMs: optionalNumber,
        cls: optionalNumber,
        inpMs: optionalNumber,
      }),
      navigation: v.nullable(
        v.object({
          type: v.string(),
          redirectCount: v.number(),
          transferSize: v.number(),
          steps: v.array(v.object({ name: v.string(), startMs: v.number(), endMs: v.number() })),
        }),
      ),
      counts: v.array(v.number()),
      dropped: v.number(),
    }),
  ),
})

/** The newest state of each view, and each error with the count that its view reported last. Oldest first. */
export function mergeBrowserData(parts: readonly BrowserData[]): BrowserData {
  const views = new Map<string, BrowserView>()
  for (const view of parts.flatMap((part) => part.views).toSorted((one, other) => one.time - other.time)) {
    views.set(view.view, view)
  }
  const errors = parts
    .flatMap((part) => part.errors)
    .map((error) => {
      const reported = views.get(error.view)?.counts[error.number] ?? 0
      return reported > error.count ? Object.assign({ ...error }, { count: reported }) : error
    })
    .toSorted((one, other) => one.time - other.time || one.number - other.number)
  return { errors, views: [...views.values()] }
}

/** How many errors happened, repeated and unreported ones too. */
function countBrowserErrors({ errors, views }: BrowserData): number {
  const dropped = views.reduce((sum, view) => sum + view.dropped, 0)
  return errors.reduce((sum, { count }) => sum + count, dropped)
}

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
      kinds[kind] === className ? null : { mark: kinds[kind], tone: 'error' },
      ...(token === own ? [recorded(className)] : link),
    ],
    name: recorded(message),
    time: count === 1 ? null : `${formatCount(count)} times`,
    facts: [place(at), { time }, recorded(url)],
    blocks: [],
  }
}

function viewBlocks({ dropped, navigation, time, vitals: measured }: BrowserView, isNamed: boolean): Blocks {
  return [
    isNamed ? heading(`View at ${formatTime(time)}`) : null,
    note(dropped > 0 && `${counted(dropped, 'error')} more: a page reports 20 different errors.`),
    facts(
      'How quick the page was',
      vitals.flatMap((vital) => vitalFact(vital, measured[vital.name])),
    ),
    ...(navigation === null ? [] : loading(navigation)),
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

function vitalFact({ name, label, bounds: [good, poor] }: Vital, value: number | null): readonly Fact[] {
  if (value === null) return []
  const [mark, tone]: readonly [string, Tone] =
    value <= good ? ['good', 'success'] : value <= poor ? ['fair', 'warning'] : ['poor', 'error']
  return [[label, [name === 'cls' ? String(Number(value.toFixed(3))) : formatDuration(value), { mark, tone }]]]
}

function loading({ type, redirectCount, transferSize, steps }: NavigationFacts): Blocks {
  const totalMs = Math.max(1, ...steps.map(({ endMs }) => endMs))
  const how = type === 'navigate' ? null : recorded(type)
  const size = transferSize === 0 ? 'from a cache' : formatBytes(transferSize)
  return [
    heading('Loading'),
    text([how, redirectCount > 0 ? `with ${counted(redirectCount, 'redirect')}, ${size}.` : `${size}.`]),
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
