// Names that the author may have meant.

import { editDistance, nearWords } from '../base/options/nearest-name.ts'

/** A word of the message that differs in its case, or in a letter or two. */
export function nearToken(word: string, tokens: readonly string[]): string | undefined {
  const same = tokens.find((one) => one.toLowerCase() === word.toLowerCase())
  return same ?? misspelt(word, tokens)
}

/** Names that differ in a few letters, or in one of their parts. */
export function nearNames(name: string, names: readonly string[]): string[] {
  const near = names.find((one) => one.toLowerCase() === name.toLowerCase()) ?? misspelt(name, names)
  if (near !== undefined) return [near]
  const parts = partsOf(name)
  return names.filter((one) => {
    if (sharedStart(one, name) >= Math.max(4, 0.6 * Math.max(one.length, name.length))) return true
    const others = partsOf(one)
    const shared = parts.filter((part) =>
      others.some((other) => other === part || (part.length > 3 && (other.startsWith(part) || part.startsWith(other)))),
    )
    // `SHOP_HOST` and `SHOP_PORT` have only what all names of an application have.
    const isWhole = shared.length === Math.min(parts.length, others.length)
    return shared.length * 2 > Math.max(parts.length, others.length) || (isWhole && shared.length > 0)
  })
}

/** The nearest word, if it differs in one letter, in two of six or more, in three of twelve or more. */
function misspelt(word: string, words: readonly string[]): string | undefined {
  return nearWords(word, words, 3).find((one) => {
    // `paid` and `payed` start and end alike.
    const isFramed = sharedStart(one, word) >= 2 && one.at(-1) === word.at(-1)
    const limit = word.length < 6 ? (isFramed && word.length > 3 ? 2 : 1) : word.length < 12 ? 2 : 3
    const isSameKind = /[a-z]/.test(one) === /[a-z]/.test(word)
    return one.length > 2 && isSameKind && editDistance(word.toLowerCase(), one.toLowerCase(), limit) <= limit
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
