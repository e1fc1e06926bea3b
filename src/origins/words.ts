// Pieces of source as words for people.

import type { SourceTree } from '../errors/source/source-tree.ts'
import type { Node } from '../errors/source/syntax.ts'
import { quote } from '../routing/regex-syntax.ts'

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
