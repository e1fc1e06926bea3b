// Names that were perhaps meant.

import { nearWords } from '../../framework/routing/edit-distance.ts'

/** A word of the message that differs in its case, or in a letter or two. */
export function nearToken(word: string, tokens: readonly string[]): string | undefined {
  const same = tokens.find((one) => one.toLowerCase() === word.toLowerCase())
  if (same !== undefined || word.length < 3) return same
  return nearWords(word, tokens, 1).find((one) => one.length > 2)
}

/** Names that differ in a few letters, or in one of their parts. */
export function nearNames(name: string, names: readonly string[]): string[] {
  const near = nearWords(name, names, 1).filter((one) => one.length > 2 || one.toLowerCase() === name.toLowerCase())
  if (near.length > 0) return near
  const parts = partsOf(name)
  return names.filter((one) => {
    if (sharedStart(one, name) >= Math.max(4, 0.6 * Math.max(one.length, name.length))) return true
    const others = partsOf(one)
    const shared = parts.filter((part) =>
      others.some((other) => other === part || (part.length > 3 && (other.startsWith(part) || part.startsWith(other)))),
    )
    return shared.length > 0 && shared.length * 2 >= Math.max(parts.length, others.length)
  })
}

function sharedStart(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length
}

/** `['inventory', 'host']` of `inventoryHost` and `INVENTORY_HOST`. */
function partsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_\-.]+/)
    .filter((part) => part !== '')
}
