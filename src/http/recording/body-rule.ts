// Which bodies are kept, and how much of them.

import { FirstBytes, maxKeptBytes } from '../../base/http/first-bytes.ts'
import { parseMediaType } from '../../base/http/media-type.ts'

/** `named`: JSON and forms, whose values can be masked by their names, if all of it is there. `all`: the beginning of any. */
export type BodyRule = 'none' | 'named' | 'all'

/** The part of a request that decides. */
export interface RuleSource {
  readonly route?: { readonly captureBody?: boolean | undefined } | undefined
  readonly recording?: { readonly bodies: BodyRule } | undefined
}

/** What the route says; else what holds for the others. */
export function bodyRule(
  source: RuleSource | undefined,
  others: BodyRule = source?.recording?.bodies ?? 'none',
): BodyRule {
  const captures = source?.route?.captureBody
  return captures === undefined ? others : captures ? 'all' : 'none'
}

/** What keeps a body that has this head; of one that is too long, it counts the bytes. `undefined` for a body that is not kept. */
export function keeperOf(
  rule: BodyRule,
  header: (name: string) => string | undefined,
  shared?: { left: number },
): FirstBytes | undefined {
  if (rule === 'none' || (rule === 'named' && !hasNamedValues(header('content-type')))) return undefined
  if (rule === 'all') return new FirstBytes()
  return new FirstBytes(Number(header('content-length') ?? 0) > maxKeptBytes ? 0 : maxKeptBytes, shared)
}

/** Whether a body of this type is JSON or a form. */
export function hasNamedValues(contentType: string | undefined): boolean {
  const { essence } = parseMediaType(contentType)
  return isJsonType(essence) || essence === urlencoded || essence === multipart
}

export function isJsonType(essence: string): boolean {
  return essence === 'application/json' || essence.endsWith('+json')
}

export const urlencoded = 'application/x-www-form-urlencoded'
export const multipart = 'multipart/form-data'
