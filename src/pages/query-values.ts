// Reads what an address of the profiler says, one value for each name, and says what cannot be used: a name that nobody knows,
// a second value, one that is too long. What a value means is left to the pages.

import { nearestName } from '../base/options/check-options.ts'
import type { QueryFields } from '../base/http/query.ts'
import { quoted } from '../base/redact/cut-text.ts'
import { namesOf } from '../base/members.ts'

/** Characters of a value of a search at most. */
const shortLength = 500
const maxUnknown = 5

/** At most `maxLength` characters each: the values of the names that `labels` has, trimmed; empty if there is none. Adds a sentence to `problems` for each that cannot be used. */
export function readValues<Name extends string>(
  query: QueryFields,
  labels: Readonly<Record<Name, string>>,
  problems: string[],
  maxLength: number = shortLength,
): ReadonlyMap<Name, string> {
  const values = new Map<Name, string>()
  // Names of a record that is typed by them.
  for (const name of namesOf(labels)) {
    const given = [...new Set((query.get(name) ?? []).map((value) => value.trim()).filter((value) => value !== ''))]
    const [first = ''] = given
    values.set(name, first)
    if (given.length > 1) {
      problems.push(
        `${labels[name]}: ${given.slice(0, 2).map(quoted).join(' and ')} cannot be combined. Use one value.`,
      )
    }
    if (first.length > maxLength) {
      problems.push(`${labels[name]}: ${quoted(first)} has ${first.length} characters. Use at most ${maxLength}.`)
      values.set(name, '')
    }
  }
  return values
}

/** Names of an address that a page does not know, a sentence each. */
export interface UnknownNames {
  /** They look like a known name, so the filter that was meant would not apply. */
  readonly misspelt: readonly string[]
  /** They look like none: they are left out. */
  readonly foreign: readonly string[]
}

/** Sorts the names of the address that are not among the known ones. */
export function unknownNames(query: QueryFields, known: readonly string[]): UnknownNames {
  const misspelt: string[] = []
  const foreign: string[] = []
  const allowed = `Known: ${known.join(', ')}.`
  for (const name of [...query.keys()].filter((one) => !known.includes(one)).slice(0, maxUnknown)) {
    const nearest = nearestName(name, known)
    const subject = `Unknown parameter ${quoted(name)}`
    if (nearest === null) foreign.push(`${subject} was ignored. ${allowed}`)
    else misspelt.push(`${subject}. Did you mean ${quoted(nearest)}? ${allowed}`)
  }
  return { misspelt, foreign }
}
