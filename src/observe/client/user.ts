// The user of a request, as far as its profile says who it was.

import type { Redactor } from '../../base/redact/redactor.ts'

/** Masked. */
export interface RecordedUser {
  /** `null` if unknown. */
  readonly id: string | null
  /** `null` if unknown. */
  readonly name: string | null
  /** At most 50. */
  readonly roles: readonly string[]
}

const maxRoles = 50
const maxLength = 100
const idNames = ['id', '_id', 'sub', 'userId']
const nameNames = ['username', 'name', 'displayName', 'login']
const roleNames = ['roles', 'role', 'authorities', 'groups', 'scope']

/** A user is a name or an object; `null` for anything else. Never throws. */
export function userOf(user: unknown, redactor: Redactor): RecordedUser | null {
  try {
    if (typeof user === 'string' || typeof user === 'number') {
      return { id: redactor.text(String(user), maxLength), name: null, roles: [] }
    }
    if (typeof user !== 'object' || user === null) return null
    return {
      id: masked(user, idNames, redactor),
      name: masked(user, nameNames, redactor),
      roles: rolesOf(user).map((role) => redactor.text(role, maxLength)),
    }
  } catch {
    return { id: null, name: null, roles: [] }
  }
}

/** What a user is called: the name, or else the id; `null` for nobody. */
export function userName(user: RecordedUser | null | undefined): string | null {
  return user?.name ?? user?.id ?? null
}

/** The first of these that the user has, masked by its name. */
function masked(user: object, names: readonly string[], redactor: Redactor): string | null {
  for (const name of names) {
    const text = textOf(Reflect.get(user, name))
    if (text === null) continue
    const shown = redactor.record({ [name]: text })[name]
    return typeof shown === 'string' ? redactor.text(shown, maxLength) : null
  }
  return null
}

/** Ids of databases are objects that know how to be written. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string' && value !== '') return value.slice(0, 1000)
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null || !('toHexString' in value)) return null
  return typeof value.toHexString === 'function' ? String(Reflect.apply(value.toHexString, value, [])) : null
}

/** A text has several with spaces between them, as scopes have. */
function rolesOf(user: object): readonly string[] {
  for (const name of roleNames) {
    const value: unknown = Reflect.get(user, name)
    const list: unknown = typeof value === 'string' ? value.split(/[\s,]+/) : value
    if (!Array.isArray(list)) continue
    return list.slice(0, maxRoles).flatMap((role: unknown) => roleOf(role) ?? [])
  }
  return []
}

function roleOf(role: unknown): string | null {
  const text: unknown = typeof role === 'object' && role !== null ? Reflect.get(role, 'name') : role
  return typeof text === 'string' && text !== '' ? text : null
}
