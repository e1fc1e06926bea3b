// The values that a recording does not have, each with a name in the file, where it is to be filled in.

import { joinPath } from '../../framework/http/json-path.ts'
import { missingText, type MissingValue } from '../replay/repeatable-request.ts'
import { Expression } from './literal.ts'

/** A value to fill in. */
interface ValueToFill {
  /** Its name in the file: `sessionCookie`. */
  readonly name: string
  /** For people: `cookie session`. */
  readonly what: string
}

/** Names values as they are asked for; the same one has one name. */
export class MissingValues {
  readonly #values = new Map<string, ValueToFill>()

  /** What was masked or cut when the request was recorded. */
  take(missing: Pick<MissingValue, 'place' | 'name'>): Expression {
    return this.#expression(wordsOf(missing), missingText(missing))
  }

  /** What was not captured, with words of our own. */
  takeOther(words: string, what: string): Expression {
    return this.#expression(words, what)
  }

  get all(): readonly ValueToFill[] {
    return [...this.#values.values()]
  }

  #expression(words: string, what: string): Expression {
    const value = this.#values.get(what) ?? { name: this.#freeName(camelCase(words)), what }
    this.#values.set(what, value)
    return new Expression(`missing.${value.name}`)
  }

  #freeName(name: string): string {
    const used = new Set(this.all.map((value) => value.name))
    let free = name
    for (let count = 2; used.has(free); count += 1) free = `${name}${count}`
    return free
  }
}

function wordsOf({ place, name }: Pick<MissingValue, 'place' | 'name'>): string {
  return place === 'path' ? 'path segment' : `${name} ${place}`
}

/** `x-api-key header` is `xApiKeyHeader`. Letters and digits of ASCII only: it is code. */
function camelCase(words: string): string {
  const parts = words.match(/[A-Za-z0-9]+/g) ?? []
  const name = parts.map(
    (part, index) => (index === 0 ? part.charAt(0).toLowerCase() : part.charAt(0).toUpperCase()) + part.slice(1),
  )
  const joined = name.join('').slice(0, 60)
  return /^[a-z]/.test(joined) ? joined : `value${joined}`
}

/** JSON with expressions in place of some texts. `fill` is asked for each text with its place, `items[0].password`; `undefined` leaves it. */
export function filled(
  value: unknown,
  fill: (text: string, path: string) => Expression | undefined,
  path = '',
): unknown {
  if (typeof value === 'string') return fill(value, path) ?? value
  if (Array.isArray(value))
    return value.map((member, index) => filled(member, fill, joinPath(path, String(index), true)))
  if (typeof value !== 'object' || value === null) return value
  // Made from entries: a member named `__proto__` stays one.
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, filled(member, fill, joinPath(path, key, false))]),
  )
}
