// Reads the filters of the list from its address, and writes them back into links. What cannot be used is said, not guessed.

import { parseQuery } from '../base/http/query.ts'
import { profileOrders, type ProfileOrder } from '../profiles/profile-store.ts'
import { filterNames, filters, readFilter, type FilterName, type ProfileFilter } from '../profiles/query/filters.ts'
import { listedFilter } from '../profiles/query/named-profile.ts'
import { quoted } from '../base/redact/cut-text.ts'
import { readValues, unknownNames } from './query-values.ts'
import { tableOf } from '../base/members.ts'

/** What each part of an address is called, for people. */
const labels = Object.freeze({
  ...tableOf(filterNames, (name) => filters[name].label),
  limit: 'Limit',
  sort: 'Sort',
  after: 'After',
})
const pageLengths = { default: 25, max: 200 } as const

export class ListQuery {
  /** What cannot be used, one sentence each; the list is empty then. */
  readonly problems: readonly string[]
  /** Parameters without a meaning, one sentence each. They do not change the list. */
  readonly ignored: readonly string[]
  readonly filter: ProfileFilter
  /** Cursor of the page, as the page before gave it. */
  readonly after: string | undefined
  readonly limit: number
  readonly order: ProfileOrder
  readonly #values: ReadonlyMap<string, string>

  /** Takes the raw query of the request. `more`: further names that the page reads. `limit`: where the address has none. */
  constructor(rawQuery: string, more: readonly string[] = [], limit: number = pageLengths.default) {
    const query = parseQuery(rawQuery)
    const problems: string[] = []
    const values = readValues(query, labels, problems)
    const { misspelt, foreign } = unknownNames(query, [...Object.keys(labels), ...more])
    problems.push(...misspelt)
    this.ignored = foreign
    // A page that sorts something else reads its own order.
    const kept = [...filterNames, 'limit', ...(more.includes('sort') ? [] : (['sort'] as const))] as const
    this.#values = new Map(kept.map((name) => [name, values.get(name) ?? '']))
    const cursor = values.get('after') ?? ''
    this.after = cursor === '' ? undefined : cursor
    this.order = this.#readOrder(problems)
    this.filter = readFilter(
      (name) => this.value(name) || undefined,
      (_, problem) => problems.push(problem),
    )
    this.limit = this.#readLimit(problems, limit)
    this.problems = problems
  }

  /** Whether new profiles appear by themselves: on the first page, with the newest first. */
  get isLive(): boolean {
    return this.after === undefined && this.order === 'newest'
  }

  get listed(): ProfileFilter {
    return listedFilter(this.filter)
  }

  get isFiltered(): boolean {
    return filterNames.some((name) => this.value(name) !== '')
  }

  /** The whole address: what a page that leads back to this list keeps. */
  get address(): string {
    return this.withCursor(this.after ?? null)
  }

  /** What the address says beside filters and cursor. */
  get kept(): readonly (readonly [name: string, value: string])[] {
    return [...this.#values].filter(([name, value]) => value !== '' && !filterNames.some((filter) => filter === name))
  }

  /** A filter as it was typed; empty if it was not. */
  value(name: FilterName): string {
    return this.#values.get(name) ?? ''
  }

  /** The same filters with another cursor (`null`: the first page), encoded for an address. */
  withCursor(cursor: string | null): string {
    return this.with(cursor === null ? {} : { after: cursor })
  }

  /** The same filters, on the first page, with other parts, encoded for an address. An empty part is left out. */
  with(parts: Readonly<Record<string, string>>): string {
    const kept = [...this.#values].filter(([name]) => parts[name] === undefined)
    const set = [...kept, ...Object.entries(parts)].filter(([, value]) => value !== '')
    return new URLSearchParams(set).toString()
  }

  #readOrder(problems: string[]): ProfileOrder {
    const text = this.#values.get('sort') || 'newest'
    const order = profileOrders.find((name) => name === text)
    if (order === undefined) problems.push(`${quoted(text)} is not an order. Use ${profileOrders.join(', ')}.`)
    return order ?? 'newest'
  }

  #readLimit(problems: string[], usual: number): number {
    const text = this.#values.get('limit') ?? ''
    const limit = text === '' ? usual : Number(text)
    if (Number.isInteger(limit) && limit >= 1 && limit <= pageLengths.max) return limit
    problems.push(`${quoted(text)} is not a limit. Use 1 to ${pageLengths.max}.`)
    return usual
  }
}
