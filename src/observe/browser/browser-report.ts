// What a page reports, as it arrives: untrusted text, checked here once.

import * as v from 'valibot'
import type { BrowserError } from './browser-data.ts'

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
