// What calls, times and addresses give that is hardly meant. Like the rules beside it, each says what proves it, and runs no code of the application.

import { bare, isCall, isFunction, isMember, isText, propertyOf, rootOf, type Node } from '../errors/source/syntax.ts'
import type { SourceTree } from '../errors/source/source-tree.ts'
import { lastName } from './fault.ts'
import { nodesIn, returnStatements } from './functions.ts'
import { isList, isRecord, onOperands, type Rule } from './odd-rules.ts'
import { keptUnder } from './smells.ts'

const secondsName = /^(?:exp|iat|nbf|timestamp)$|(?:created|updated|modified|expires|issued|seen|started)_?(?:[aA]t)?$/

export const resultRules: readonly Rule[] = [
  (node, { valueOf, said }) => {
    if (!isCall(node) || !isMember(node.callee) || propertyOf(node.callee) !== 'slice') return null
    const [list, from, to] = [node.callee.object, ...node.arguments].map((one) => valueOf(one)?.value)
    const [first, last] = node.arguments
    if (!first || !last || !isList(list) || typeof from !== 'number' || typeof to !== 'number') return null
    const isCount = /^(?:limit|size|count|take|amount|per[A-Z_]\w*|\w+_?[sS]ize)$/.test(lastName(last) ?? '')
    const isEmpty = isCount && to > 0 && to <= from && from < list.length
    return isEmpty ? `gives nothing: it ends at ${said(last, to)}, and begins at ${said(first, from)}` : null
  },
  // `steps.find(({ from }) => total >= from)`
  (node, { tree, valueOf }) => {
    if (!isCall(node) || !isMember(node.callee) || propertyOf(node.callee) !== 'find') return null
    const [callback] = node.arguments
    const list = valueOf(node.callee.object)?.value
    const test = callback && isFunction(callback) ? bare(callback.body) : undefined
    if (test?.type !== 'BinaryExpression' || !/^[<>]=?$/.test(test.operator) || !isList(list)) return null
    const [left, right] = [test.left, test.right].map((side) => fieldOf(tree, side, callback))
    const key = left ?? right
    if (!key || (left && right) || list.length < 3) return null
    const isLeast = test.operator.startsWith('<') === (left !== undefined)
    const steps = list.map((one) => isRecord(one) && Object.getOwnPropertyDescriptor(one, key)?.value)
    const grows = steps.every((one, index) => index === 0 || isLess(steps[index - 1], one))
    const falls = steps.every((one, index) => index === 0 || isLess(one, steps[index - 1]))
    const isOdd = isLeast ? grows && leastName.test(key) : falls && mostName.test(key)
    const how = grows ? 'grows' : 'falls'
    return isOdd ? `can only give the first: \`${key}\` ${how}, so what matches a later one matches the first` : null
  },
  (node, { tree, valueOf }) => {
    if (!isCall(node) || !isMember(node.callee) || propertyOf(node.callee) !== 'map') return null
    const [callback] = node.arguments
    const isUsed = !/^(?:Expression|ArrowFunction)/.test(tree.parentOf(node)?.type ?? 'Expression')
    if (!isUsed || !callback || !isFunction(callback) || callback.async || callback.generator) return null
    const isNothing =
      callback.body.type === 'BlockStatement' && returnStatements(callback).every((one) => !one.argument)
    return isNothing && isList(valueOf(node.callee.object)?.value)
      ? 'gives `undefined` for each: its callback returns nothing'
      : null
  },
  // `?name=${encodeURI(name)}`
  (node, { tree, valueOf, said }) => {
    if (node.type !== 'TemplateLiteral' || tree.parentOf(node)?.type === 'TaggedTemplateExpression') return null
    for (const [index, part] of node.expressions.entries()) {
      if (!/[?&][\w.[\]-]+=$/.test(node.quasis[index]?.value.raw ?? '')) continue
      const isEncoded = isCall(part) && lastName(part.callee) === 'encodeURI'
      const given = isEncoded && isCall(part) ? part.arguments[0] : part
      const value = given && valueOf(given)?.value
      const [mark] = (typeof value === 'string' && (isEncoded ? /[&#+]/ : /#|&(?!\w+=)/).exec(value)) || []
      if (given && mark)
        return `puts \`${mark}\` of ${said(given, value)} into the address as it is: encodeURIComponent() is missing`
    }
    return null
  },
  onOperands(/^[<>]=?$/, (left, right, both, { node }) => {
    const isComputed = [node.left, node.right].some((one) => bare(one).type === 'BinaryExpression')
    const isOdd = (isSeconds(left) && isNow(right)) || (isNow(left) && isSeconds(right))
    return isOdd && !isComputed ? `compares seconds with milliseconds: ${both}` : null
  }),
  (node, { valueOf, said }) => {
    const [given, other] = node.type === 'NewExpression' && lastName(node.callee) === 'Date' ? node.arguments : []
    if (!given || other || !secondsName.test(lastName(given) ?? '')) return null
    const value = valueOf(given)?.value
    return isSeconds(value) ? `makes a date of 1970: ${said(given, value)} counts seconds` : null
  },
  // `cache.through('price:' + product, () => priceOf(product, currency))`
  (node, { tree, variable }) => {
    if (!isCall(node) || !keeping.test(lastName(node.callee) ?? '') || !node.arguments.some(isFunction)) return null
    const { key, left = [] } = keptUnder(tree, node) ?? {}
    const name = left.find(
      (one) => !settings.test(one) && /^(?:string|number|boolean)$/.test(typeof variable(one)?.value),
    )
    return key && name ? { text: `makes the key without \`${name}\`, of which the value is made`, at: key } : null
  },
  // `if (city !== undefined) conditions.push('city = ?')`
  (node, { tree, valueOf, said }) => {
    const around = tree.parentOf(node)
    if (node.type !== 'BinaryExpression' || !/^!==?$/.test(node.operator) || around?.type !== 'IfStatement') return null
    const isNothing = /^(?:undefined|null)$/.test(tree.textOf(node.right))
    if (!isNothing || valueOf(node.left)?.value !== '') return null
    const texts = nodesIn(around.consequent, isText).map((one) => tree.textOf(one))
    const isFilter = texts.some((one) => /[=<>] ?(?:[?$]|[:@]\w)/.test(one)) && !texts.some((one) => one.includes('%'))
    return isFilter ? `takes ${said(node.left, '')} for given, and looks for rows where it is empty` : null
  },
]

const keeping = /^(?:through|remember|wrap|cached?|memo\w*|getOr\w+)$/
/** What says how a value is got, not which. */
const settings = /time|ttl|tr(?:y|ies)|log|trace|requestId|debug|ms$/i
const leastName = /^(?:from|min\w*|least|above|over|threshold)$/i
const mostName = /^(?:to|max\w*|most|below|under|up_?to)$/i

/** The property of what a callback is given that a side of its comparison is. */
function fieldOf(tree: SourceTree, side: Node, callback: Node | undefined): string | undefined {
  const [node, root] = [bare(side), rootOf(side)]
  const binding = root.type === 'Identifier' ? tree.bindingOf(root.name, root) : undefined
  const read = isMember(node) ? [propertyOf(node) ?? '*'] : []
  const [key, other] = binding && binding.value === callback ? [...binding.path, ...read] : []
  return other === undefined ? key : undefined
}

function isLess(one: unknown, other: unknown): boolean {
  return typeof one === 'number' && typeof other === 'number' && one < other
}

/** Of our time; a length of whole hours in milliseconds is none. */
function isSeconds(value: unknown): boolean {
  return typeof value === 'number' && value > 1e9 && value < 4e9 && value % 3_600_000 !== 0
}

function isNow(value: unknown): boolean {
  return typeof value === 'number' && value > 1e12 && value < 4e12
}
