// Reads the filters of the list from its address, and writes them back into links. What cannot be used is said, not guessed.

import { parseQuery } from '../http/query.ts'
import { tokenPattern } from '../profiler/profile.ts'
import type { ProfileFilter } from '../profiler/profile-store.ts'

const names = ['url', 'status', 'method', 'route', 'ip', 'duration', 'token'] as const
type Name = (typeof names)[number]

/** Profiles on one page. */
const pageLength = 25
const maxValueLength = 500

/** The filters of one address. */
export class ListQuery {
  /** What cannot be used, one sentence each; the list is empty then. */
  readonly problems: readonly string[]
  readonly filter: ProfileFilter
  /** Cursor of the page, as the page before gave it. */
  readonly after: string | undefined
  readonly limit: number = pageLength
  readonly #values: ReadonlyMap<Name, string>

  /** Takes the raw query of the request. */
  constructor(rawQuery: string) {
    const query = parseQuery(rawQuery)
    const first = (name: string): string => (query.get(name)?.[0] ?? '').trim().slice(0, maxValueLength)
    this.#values = new Map(names.map((name) => [name, first(name)]))
    const cursor = first('after')
    this.after = cursor === '' ? undefined : cursor
    const problems: string[] = []
    this.filter = readFilter(this.#values, problems)
    this.problems = problems
  }

  /** Whether anything is filtered. */
  get isFiltered(): boolean {
    return [...this.#values.values()].some((value) => value !== '')
  }

  /** A filter as it was typed. */
  value(name: string): string {
    return (this.#values as ReadonlyMap<string, string>).get(name) ?? ''
  }

  /** The same filters with another cursor, encoded for an address. */
  withCursor(cursor: string): string {
    const set = [...this.#values].filter(([, value]) => value !== '')
    return new URLSearchParams([...set, ['after', cursor]]).toString()
  }
}

function readFilter(values: ReadonlyMap<Name, string>, problems: string[]): ProfileFilter {
  const value = (name: Name): string => values.get(name) ?? ''
  const [url, status, method, route, ip, duration, token] = names.map(value) as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ]
  if (status !== '' && !/^[1-5](\d\d|xx)$/i.test(status)) problems.push(`"${status}" is no status: 404 and 4xx are.`)
  if (duration !== '' && !/^\d{1,9}(\.\d+)?$/.test(duration))
    problems.push(`"${duration}" is no number of milliseconds.`)
  if (token !== '' && !tokenPattern.test(token))
    problems.push(`"${token}" is no token: 10 to 16 letters and digits are.`)
  if (problems.length > 0) return {}
  return {
    ...(url === '' ? {} : { url }),
    ...(status === '' ? {} : { status: readStatus(status) }),
    ...(method === '' ? {} : { method: method.toUpperCase() }),
    ...(route === '' ? {} : { route }),
    ...(ip === '' ? {} : { ip }),
    ...(duration === '' ? {} : { minDurationMs: Number(duration) }),
    ...(token === '' ? {} : { token }),
  }
}

// The pattern was checked: one digit from 1 to 5, then two digits or `xx`.
function readStatus(status: string): NonNullable<ProfileFilter['status']> {
  return /^\d+$/.test(status) ? Number(status) : (status.toLowerCase() as '4xx')
}
