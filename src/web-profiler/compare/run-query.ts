// Reads which runs are to be compared from the address: `since` and `until` name the newer one, as they do for the list,
// `base-since` and `base-until` the older one; every other filter of the list narrows both.

import { parseQuery } from '../../http/query.ts'
import { baseBefore, type RunRange, type RunsRequest } from '../../profiler/compare/read-runs.ts'
import { ListQuery, readInstant } from '../list-query.ts'

/** Parts of the address that name the older run, by what their fields are called. */
export const baseLabels = { 'base-since': 'Base from (UTC)', 'base-until': 'Base before (UTC)' } as const

type BaseName = keyof typeof baseLabels

const baseNames = ['base-since', 'base-until'] as const satisfies readonly BaseName[]
const maxValueLength = 100

/** The address of one comparison of runs. */
export class RunQuery {
  readonly list: ListQuery
  /** What cannot be used, one sentence each. */
  readonly problems: readonly string[]
  /** What is asked for; `null` where no run is named. */
  readonly request: RunsRequest | null
  readonly #values: ReadonlyMap<string, string>

  /** Takes the raw query of the request. */
  constructor(rawQuery: string) {
    const query = parseQuery(rawQuery)
    const list = new ListQuery(rawQuery)
    this.list = list
    this.#values = new Map(
      baseNames.map((name) => [name, (query.get(name)?.[0] ?? '').trim().slice(0, maxValueLength)]),
    )
    const problems = [...list.problems]
    const run: RunRange = { since: list.filter.since ?? null, until: list.filter.until ?? null }
    const base = { since: this.#instant('base-since', problems), until: this.#instant('base-until', problems) }
    const isBaseNamed = base.since !== null || base.until !== null
    const isRunNamed = run.since !== null || run.until !== null
    this.request = isRunNamed || isBaseNamed ? this.#request(run, isBaseNamed ? base : baseBefore(run), problems) : null
    this.problems = problems
  }

  /** A part of the base as it was typed; empty where it was not. */
  value(name: BaseName): string {
    return this.#values.get(name) ?? ''
  }

  /** The same filters for two runs that are named whole, encoded for an address. */
  address({ run, base }: Pick<RunsRequest, 'run' | 'base'>): string {
    const parts = new URLSearchParams(this.list.with({}))
    const times = { since: run.since, until: run.until, 'base-since': base.since, 'base-until': base.until }
    for (const [name, time] of Object.entries(times)) {
      if (time === null) parts.delete(name)
      else parts.set(name, instantText(time))
    }
    return parts.toString()
  }

  #request(run: RunRange, base: RunRange | null, problems: string[]): RunsRequest | null {
    if (base === null) {
      problems.push('Base: name its times, or from when the run is compared; allowed: a time such as 2026-11-21T08:00.')
      return null
    }
    return { filter: this.list.filter, run, base }
  }

  #instant(name: BaseName, problems: string[]): number | null {
    const text = this.value(name)
    if (text === '') return null
    const time = readInstant(text)
    if (time === null) {
      problems.push(
        `${baseLabels[name]}: ${JSON.stringify(text)} cannot be used; allowed: a time such as 2026-11-21T08:00.`,
      )
    }
    return time
  }
}

/** A time as the list reads it. */
export function instantText(epochMs: number): string {
  const date = new Date(epochMs)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}
