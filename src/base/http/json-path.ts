// Finds where in a value JSON goes wrong: `order.items[2].price`.

import { types } from 'node:util'

interface JsonMember {
  /** `order.items[2]`; empty for the value itself. */
  readonly path: string
  readonly value: unknown
  /** Path of the same object further up, that contains this one; `null` if there is none. */
  readonly sameAs: string | null
}

const maxMembers = 20_000

/** The first member, as `JSON.stringify` walks, for which `isWanted` says yes. Never throws. */
export function findJsonMember(root: unknown, isWanted: (member: JsonMember) => boolean): JsonMember | undefined {
  const places = new Map<unknown, { readonly path: string; readonly holder: unknown }>()
  let found: JsonMember | undefined
  let seen = 0
  try {
    JSON.stringify(root, function (this: unknown, key: string, value: unknown): unknown {
      seen += 1
      if (found !== undefined || seen > maxMembers) return undefined
      const above = places.get(this)
      const path = above === undefined ? '' : joinPath(above.path, key, Array.isArray(this))
      // `toJSON` has been called; a promise has none.
      const sameAs = ancestorPath(places, this, value)
      const member = { path, value, sameAs }
      if (isWanted(member)) found = member
      if (found !== undefined || sameAs !== null || typeof value === 'bigint' || types.isPromise(value))
        return undefined
      if (typeof value === 'object' && value !== null) places.set(value, { path, holder: this })
      return value
    })
  } catch {
    // A getter or `toJSON` threw: that is what the caller reports.
  }
  return found
}

/** Notes on the error of `JSON.stringify` which member it is about: `jsonPath`, and `sameAs` for a cycle. Never throws. */
export function noteJsonPath(error: unknown, root: unknown): void {
  if (!types.isNativeError(error)) return
  const member = findJsonMember(root, ({ value, sameAs }) => typeof value === 'bigint' || sameAs !== null)
  if (member === undefined) return
  const { path, sameAs } = member
  const facts =
    sameAs === null ? { jsonPath: path || 'the value' } : { jsonPath: path, sameAs: sameAs || 'the whole value' }
  for (const [name, value] of Object.entries(facts)) {
    Object.defineProperty(error, name, { value, enumerable: true, configurable: true })
  }
}

function ancestorPath(
  places: ReadonlyMap<unknown, { readonly path: string; readonly holder: unknown }>,
  holder: unknown,
  value: unknown,
): string | null {
  if (typeof value !== 'object' || value === null || !places.has(value)) return null
  for (let above = holder; above !== undefined; above = places.get(above)?.holder) {
    if (above === value) return places.get(above)?.path ?? ''
  }
  return null
}

/** `order` and `items` give `order.items`; a member of a list `items[2]`. Long keys are cut. */
export function joinPath(path: string, key: string, isList: boolean): string {
  if (isList) return `${path}[${key}]`
  if (/^[A-Za-z_$][\w$]{0,100}$/.test(key)) return path === '' ? key : `${path}.${key}`
  return `${path}[${JSON.stringify(key.slice(0, 100))}]`
}
