// Reads which runs are to be compared from the address: `since`, `until` and `version` name the newer one, as they do for the
// list, the same with `base-` before them the older one; every other filter of the list narrows both.

import { parseQuery } from '../../../framework/http/query.ts'
import { namedOrNull, type AskedRuns } from '../../compare/find-runs.ts'
import type { RunScope, RunsRequest } from '../../compare/read-runs.ts'
import { readInstant } from '../list-fields.ts'
import { ListQuery } from '../list-query.ts'
import { countedProfiles } from '../../query/groups.ts'
import { quoted, readValues } from '../query-values.ts'

/** Parts of the address that name the older run, by what their fields are called. */
export const baseLabels = {
  'base-since': 'Base from (UTC)',
  'base-until': 'Base before (UTC)',
  'base-version': 'Base version',
} as const

type BaseName = keyof typeof baseLabels

const baseNames: readonly string[] = Object.keys(baseLabels)

/** The address of one comparison of runs. */
export class RunQuery {
  readonly list: ListQuery
  /** What cannot be used, one sentence each. */
  readonly problems: readonly string[]
  /** What is asked for. */
  readonly asked: AskedRuns
  readonly #values: ReadonlyMap<BaseName, string>

  /** Takes the raw query of the request. */
  constructor(rawQuery: string) {
    const list = new ListQuery(rawQuery, baseNames)
    this.list = list
    const problems = [...list.problems]
    this.#values = readValues(parseQuery(rawQuery), baseLabels, problems)
    const { since = null, until = null, version = null } = list.filter
    const base = {
      since: this.#instant('base-since', problems),
      until: this.#instant('base-until', problems),
      version: this.value('base-version') === '' ? null : this.value('base-version'),
    }
    this.asked = {
      filter: countedProfiles(list.filter, 'route'),
      run: namedOrNull({ since, until, version }),
      base: namedOrNull(base),
    }
    this.problems = problems
  }

  /** A part of the base as it was typed; empty where it was not. */
  value(name: BaseName): string {
    return this.#values.get(name) ?? ''
  }

  /** The same filters for two runs that are named whole, encoded for an address. */
  address({ run, base }: Pick<RunsRequest, 'run' | 'base'>): string {
    const parts = new URLSearchParams(this.list.with({}))
    for (const [name, text] of [...scopeParts(run), ...scopeParts(base, 'base-')]) {
      if (text === null) parts.delete(name)
      else parts.set(name, text)
    }
    return parts.toString()
  }

  #instant(name: 'base-since' | 'base-until', problems: string[]): number | null {
    const text = this.value(name)
    if (text === '') return null
    const time = readInstant(text)
    if (time === null) {
      problems.push(`${baseLabels[name]}: ${quoted(text)} cannot be used; allowed: a time such as 2026-11-21T08:00.`)
    }
    return time
  }
}

/** What names a run in an address; `null` for what is open. */
export function scopeParts(
  { since, until, version }: RunScope,
  prefix: '' | 'base-' = '',
): readonly (readonly [name: string, text: string | null])[] {
  return [
    [`${prefix}since`, since === null ? null : instantText(since)],
    [`${prefix}until`, until === null ? null : instantText(until)],
    [`${prefix}version`, version],
  ]
}

/** A time as the list reads it. */
export function instantText(epochMs: number): string {
  const date = new Date(epochMs)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}
