// What happened while code ran, at its lines: queries, outgoing requests, log lines, dumps and the error.

import { fillPlaceholders } from '../../framework/log/logger.ts'
import type { Inline } from '../blocks/blocks.ts'
import type { DumpData } from '../collectors/dump.ts'
import type { Profile } from '../profile.ts'
import { dataOf } from '../stored-data.ts'
import { placeOf, type RanCall, type RanCode } from './ran-code.ts'

export interface Happening {
  readonly line: number
  readonly isError: boolean
  readonly pieces: readonly Inline[]
}

/** `source`: what stands in the line of its place, where that is not known. */
type Happened = readonly [mark: string, text: string, place: string | null, timeMs: number, source?: string]

function happenedIn(profile: Profile): readonly Happened[] {
  const { queries = [], groups = [] } = dataOf(profile, 'database') ?? {}
  const { calls = [] } = dataOf(profile, 'http-client') ?? {}
  const { records = [] } = dataOf(profile, 'logger') ?? {}
  const { dumps = [] } = (profile.data['dump'] ?? {}) as Partial<DumpData>
  const root = dataOf(profile, 'exception')?.errors.at(-1)
  const frame = root?.frames.find(({ origin }) => origin === 'own')
  return [
    ...queries.map((one): Happened => ['query', groups[one.group]?.text ?? '', one.callSite, one.startMs]),
    ...calls.map((one): Happened => ['request', `${one.method} ${one.url}`, one.callSite, one.startMs]),
    ...records.map((one): Happened => [one.level, fillPlaceholders(one), null, one.timeMs, one.message]),
    ...dumps.map(({ label, place, timeMs }): Happened => ['dump', label ?? '', place, timeMs]),
    [
      'error thrown',
      `${root?.className}: ${root?.message}`,
      frame === undefined ? '' : `${frame.file}:${frame.line}`,
      Infinity,
    ],
  ]
}

/** By the call that it happened in: at the last step before it, of those of its place where that is known. */
export function happeningsOf(
  profile: Profile,
  { calls, functions }: RanCode,
): ReadonlyMap<RanCall, readonly Happening[]> {
  const steps = calls.flatMap((call) => {
    const of = functions[call.function]
    return call.path.map((index, at) => ({
      call,
      of,
      index,
      line: of?.places[index] ?? 0,
      timeMs: call.times[at] ?? 0,
    }))
  })
  steps.sort((one, other) => one.timeMs - other.timeMs)
  const found = new Map<RanCall, Happening[]>()
  for (const [mark, text, place, untilMs, source] of happenedIn(profile)) {
    const [, file, digits] = /^(.*):(\d+)$/.exec(place ?? '') ?? []
    const number = Number(digits)
    const step = steps.findLast(({ of, index, line, timeMs }) => {
      if (timeMs > untilMs || of === undefined) return false
      if (source !== undefined) return placeOf(of, index)?.text.includes(source.slice(0, 40)) === true
      const isIn = of.file === file && line <= number && number < of.line + of.source.length
      return isIn && !of.places.some((other) => other > line && other <= number)
    })
    if (step === undefined) continue
    const pieces = [
      { mark, tone: /^(?:error|fatal)/.test(mark) ? 'error' : 'info' },
      { recorded: text.slice(0, 200) },
    ] as const
    const known = found.get(step.call) ?? []
    found.set(step.call, [...known, { line: step.line, isError: mark === 'error thrown', pieces }])
  }
  return found
}
