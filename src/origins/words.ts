// Pieces of source as words for people.

import type { SourceTree } from '../errors/source/source-tree.ts'
import type { Node } from '../errors/source/syntax.ts'
import { quote } from '../routing/regex-syntax.ts'
import { editDistance, nearWords } from '../base/options/check-options.ts'

/** An expression on one line, its what is inside of it folded: `findOrder()`, `config.host`, `'…'`. A long one is `…`. */
export function codeWord(tree: SourceTree, node: Node): string {
  switch (node.type) {
    case 'StringLiteral':
    case 'TemplateLiteral':
      return "'…'"
    case 'ObjectExpression':
      return '{…}'
    case 'ArrayExpression':
      return '[…]'
    case 'LogicalExpression':
      return short(`${codeWord(tree, node.left)} ${node.operator} ${codeWord(tree, node.right)}`)
    case 'AwaitExpression':
      return codeWord(tree, node.argument)
    case 'CallExpression':
    case 'OptionalCallExpression':
      return `${codeWord(tree, node.callee)}()`
    case 'NewExpression':
      return `new ${codeWord(tree, node.callee)}()`
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
      return '() => …'
    default: {
      const text = tree.textOf(node).replaceAll(/\s+/g, ' ')
      return /["'`]/.test(text) ? '…' : short(text)
    }
  }
}

function short(text: string): string {
  return text.length > 60 ? '…' : text
}

/** Finds one of some names as a whole word of a text. */
export function wholeWord(...names: readonly string[]): RegExp {
  return new RegExp(`(?<![\\w$])(?:${names.map(quote).join('|')})(?![\\w$])`)
}

/** What is said of a setting, whose value may be a secret. */
export function stateOf(value: string): string {
  const text = value.trim()
  if (text === '') return 'is empty'
  return text === value ? 'is set' : `has blanks ${value.startsWith(text) ? 'at its end' : 'around it'}`
}

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
