// What the lines of a request did with values that is hardly meant and throws nothing: each is told with the values that prove it.

import { types } from 'node:util'
import type * as t from '@babel/types'
import { mask } from '../base/redact/rules.ts'
import { editDistance } from '../base/options/nearest-name.ts'
import { lastName } from '../origins/fault.ts'
import { codeWord } from '../origins/words.ts'
import type { SourceTree } from '../errors/source/source-tree.ts'
import { bare, isCall, isFunction, isMember, propertyOf, visit, type Node } from '../errors/source/syntax.ts'

/** A statement of the application, and what its variables are. */
export interface RunStatement {
  readonly tree: SourceTree
  readonly statement: Node
  /** Whether it has run. */
  readonly isOver: boolean
  readonly variables: ReadonlyMap<string, unknown>
  /** Masked by its name. */
  readonly textOf: (name: string, value: unknown) => string
}

/** The expressions of a statement that are looked at, so that a loop does not search for them again. */
export type KnownNodes = WeakMap<Node, ReadonlySet<Node>>

/** Of an expression that ran before anything could change the values; `undefined` where that is not certain. */
type Known = { readonly value: unknown } | undefined

interface Scene {
  readonly tree: SourceTree
  readonly valueOf: (node: Node) => Known
  /** With the name of the variable or property: `` `price` 5 ``. Masked by the name of `beside`, too: what equals a password is the password. */
  readonly said: (node: Node, value: unknown, beside?: Node) => string
}

/** `null`: nothing is odd, or that is not certain. */
type Rule = (node: Node, scene: Scene) => string | null

const rules: readonly Rule[] = [
  onOperands(/^[<>]=?$/, (left, right, both) => {
    const isWrong =
      isNumeral(left) && isNumeral(right) && left !== right && left < right !== Number(left) < Number(right)
    return isWrong ? `compares two texts letter by letter: ${both}` : null
  }),
  onOperands(/^[!=]==$/, (left, right, both, { node, tree }) => {
    const isTime = types.isDate(left) && types.isDate(right) && left !== right && timeOf(left) === timeOf(right)
    if (isTime) return 'compares two dates of the same time, which are two objects'
    // `id === 5 || id === '5'` knows of both.
    const isOne = tree.parentOf(node)?.type !== 'LogicalExpression'
    const isTwin = right !== undefined && twinOf(left) === right
    return isOne && isTwin ? `compares a number with a text, which are never equal: ${both}` : null
  }),
  onOperands(/^\+$/, (left, right, both, { node }) => {
    const isNumber = typeof left === 'number' ? isNumeral(right) : typeof right === 'number' && isNumeral(left)
    // `'0' + hours` is meant.
    const isWritten = [node.left, node.right].some(({ type }) => type === 'StringLiteral')
    return isNumber && !isWritten ? `joins a number and a text: ${both}` : null
  }),
  onOperands(/^[-+*/%]$/, (left, right, both, { node, tree }) => {
    const isNone = [typeof left, typeof right].toSorted().join() === 'number,undefined'
    const around = tree.parentOf(node)
    const isAsked = around !== undefined && isCall(around) && /^is[A-Z]/.test(lastName(around.callee) ?? '')
    return isNone && !isAsked ? `is NaN: ${both}` : null
  }),
  (node, { tree, valueOf, said }) => {
    if (node.type !== 'LogicalExpression' || node.operator !== '||' || valueOf(node.left)?.value !== 0) return null
    const other = valueOf(node.right)?.value
    // `sum / (count || 1)`
    const isMeant = other === 0 || other === 1 || tree.parentOf(node)?.type === 'BinaryExpression'
    return typeof other === 'number' && !isMeant
      ? `takes ${said(node.right, other)} for a 0: \`||\` instead of \`??\``
      : null
  },
  (node, { tree, valueOf }) => {
    const key = isMember(node) ? propertyOf(node) : null
    const holder = isMember(node) ? valueOf(node.object)?.value : undefined
    const parent = tree.parentOf(node)
    const isSet = parent?.type === 'AssignmentExpression' && parent.left === node
    if (key === null || isSet || Object(holder) !== holder || mayHave(holder, key)) return null
    if (types.isPromise(holder)) return `reads \`${key}\` of a promise: \`await\` is missing`
    const name = isRecord(holder) ? Object.keys(holder).find((one) => isNear(one, key)) : undefined
    // Who reads both knows of both.
    const isKnown = name === undefined || tree.textOf(tree.around(node, isFunction) ?? tree.program).includes(name)
    return isKnown ? null : `reads \`${key}\`, which is not there: the object has \`${name}\``
  },
  (node, { valueOf, said }) => {
    if (!isCall(node) || !isMember(node.callee)) return null
    const { object } = node.callee
    const [name, holder] = [propertyOf(node.callee) ?? '', valueOf(object)?.value]
    const [given] = node.arguments
    if (isList(holder) && (given === undefined || isFunction(given))) return ofList(name, given, holder)
    const has = hasOf(holder, name)
    const asked = given && has && valueOf(given)
    if (!asked || has(asked.value)) return null
    const twin = twinOf(asked.value)
    return twin !== undefined && has(twin)
      ? `looks for ${said(given, asked.value, object)}, which is there as a ${typeof twin === 'number' ? 'number' : 'text'}`
      : null
  },
  (node, { tree, valueOf, said }) => {
    const parent = tree.parentOf(node)
    if (node.type !== 'TemplateLiteral' || parent?.type === 'TaggedTemplateExpression') return null
    // What a log or an error says is for people.
    const isSaid =
      parent !== undefined &&
      isCall(parent) &&
      (parent.type === 'NewExpression' || logs.test(lastName(parent.callee) ?? ''))
    if (isSaid || !node.quasis.some(({ value }) => /[/:=]/.test(value.raw))) return null
    const lost = node.expressions.find((part) => hasNoText(valueOf(part)))
    return lost === undefined ? null : `puts into a text what has none: ${said(lost, valueOf(lost)?.value)}`
  },
]

const logs = /^(?:log|debug|info|warn|error|trace|fail|assert|ok|equal)$/

function onOperands(
  operator: RegExp,
  look: (
    left: unknown,
    right: unknown,
    both: string,
    at: Scene & { readonly node: t.BinaryExpression },
  ) => string | null,
): Rule {
  return (node, scene) => {
    if (node.type !== 'BinaryExpression' || !operator.test(node.operator)) return null
    const [left, right] = [scene.valueOf(node.left), scene.valueOf(node.right)]
    if (left === undefined || right === undefined) return null
    const first = scene.said(node.left, left.value, node.right)
    const both = `${first} and ${scene.said(node.right, right.value, node.left)}`
    return look(left.value, right.value, both, { ...scene, node })
  }
}

function ofList(name: string, given: t.Function | undefined, list: readonly unknown[]): string | null {
  const isSort = /^(?:sort|toSorted)$/.test(name) && list.length > 1
  if (given === undefined) {
    const sorted =
      isSort && list.every((one) => typeof one === 'number') ? list.toSorted((one, other) => one - other) : []
    const isOther = sorted.some((one, index) => index > 0 && String(sorted[index - 1]) > String(one))
    return isOther ? 'sorts numbers as texts: it has no comparator' : null
  }
  if (given.async && list.length > 0 && /^(?:filter|some|every|find\w*)$/.test(name))
    return 'asks a callback that gives a promise, which counts as true'
  const compared = bare(given.body)
  const isTruth = compared.type === 'BinaryExpression' && /^[<>]=?$/.test(compared.operator)
  return isSort && isTruth ? 'sorts by true and false: a comparator gives a number below 0, 0 or above' : null
}

/** Asks a list, map or set for a value, as its method of that name does. */
function hasOf(holder: unknown, name: string): ((value: unknown) => boolean) | undefined {
  if (isList(holder) && /^(?:includes|indexOf)$/.test(name)) return (value) => holder.includes(value)
  if (!/^(?:get|has)$/.test(name)) return undefined
  if (types.isMap(holder)) return (value) => Map.prototype.has.call(holder, value)
  return types.isSet(holder) ? (value) => Set.prototype.has.call(holder, value) : undefined
}

/** A number as a text, written as numbers are. */
function isNumeral(value: unknown): value is string {
  return typeof value === 'string' && /^-?\d/.test(value) && String(Number(value)) === value
}

/** The number of a numeral, and the text of a number. */
function twinOf(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : isNumeral(value) ? Number(value) : undefined
}

/** With the methods of the language. */
function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && !types.isProxy(value) && Object.getPrototypeOf(value) === Array.prototype
}

function timeOf(date: Date): number {
  return Date.prototype.getTime.call(date)
}

/** As `in` does, but asks no proxy, which may have anything. */
function mayHave(holder: unknown, key: string): boolean {
  for (let object = holder; object !== null; object = Object.getPrototypeOf(object))
    if (types.isProxy(object) || Object.hasOwn(Object(object), key)) return true
  return false
}

/** With properties of its own and nothing else. */
function isRecord(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || types.isProxy(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function hasNoText(known: Known): boolean {
  if (known === undefined) return false
  const { value } = known
  return value === undefined || types.isPromise(value) || (isRecord(value) && !Object.hasOwn(value, 'toString'))
}

/** Names that differ in their case or their lines between words, in a letter too many, or in the order of two. */
function isNear(one: string, other: string): boolean {
  const [name, key] = [one, other].map((text) => text.toLowerCase().replaceAll(/[_-]/g, '')) as [string, string]
  if (name === key) return true
  const isLetter =
    Math.abs(name.length - key.length) === 1 || [...name].toSorted().join() === [...key].toSorted().join()
  const isWord = Math.min(name.length, key.length) > 3 && name[0] === key[0] && !/\d/.test(name + key)
  return isWord && isLetter && editDistance(name, key, 2) <= (name.length === key.length ? 2 : 1)
}

/** What of a statement runs whenever it does: loops and blocks have places of their own. */
function rootOf(tree: SourceTree, statement: Node): Node | null | undefined {
  if (statement.type === 'IfStatement') return statement.test
  if (statement.type === 'ReturnStatement' || statement.type === 'ThrowStatement') return statement.argument
  if (statement.type === 'ExpressionStatement') return statement
  if (statement.type === 'VariableDeclaration')
    return tree.parentOf(statement)?.type.startsWith('For') ? null : statement
  return /Statement$|Declaration$/.test(statement.type) ? null : statement
}

const changing = /^(?:(?:Optional)?Call|New|Await|Yield|Assignment|Update)Expression$/

function nodesOf({ tree, statement, isOver }: RunStatement): ReadonlySet<Node> {
  const nodes = new Set<Node>()
  const changes: Node[] = []
  const root = rootOf(tree, statement)
  if (!root) return nodes
  visit(root, (node) => {
    if (node !== root && isFunction(node)) return false
    if (changing.test(node.type)) changes.push(node)
    if (runsAlways(tree, node, root)) nodes.add(node)
    return true
  })
  for (const node of nodes)
    if (changes.some((change) => isOver || (change.end ?? 0) <= (node.start ?? 0))) nodes.delete(node)
  return nodes
}

function runsAlways(tree: SourceTree, node: Node, root: Node): boolean {
  let inner = node
  for (let around = tree.parentOf(inner); inner !== root && around !== undefined; around = tree.parentOf(inner)) {
    const isMaybe =
      (around.type === 'LogicalExpression' && around.right === inner) ||
      (around.type === 'ConditionalExpression' && around.test !== inner) ||
      (around.type === 'OptionalCallExpression' && around.callee !== inner) ||
      (around.type === 'AssignmentExpression' && /^(?:\|\||&&|\?\?)=$/.test(around.operator)) ||
      around.type === 'AssignmentPattern'
    if (isMaybe) return false
    inner = around
  }
  return true
}

/** What a statement does, in the order in which it is written. Runs no code of the application. */
export function oddValuesAt(run: RunStatement, known: KnownNodes): readonly string[] {
  const { tree, variables, textOf } = run
  const nodes = known.get(run.statement) ?? nodesOf(run)
  known.set(run.statement, nodes)
  const valueOf = (given: Node): Known => {
    const node = bare(given)
    if (node.type === 'NumericLiteral' || node.type === 'StringLiteral') return { value: node.value }
    if (!nodes.has(node)) return undefined
    if (node.type === 'Identifier') {
      const isKnown = node.name === 'undefined' || variables.has(node.name)
      return isKnown ? { value: variables.get(node.name) } : undefined
    }
    const [part] = node.type === 'ArrayExpression' && node.elements.length === 1 ? node.elements : []
    if (part?.type === 'SpreadElement') return valueOf(part.argument)
    const key = isMember(node) ? propertyOf(node) : null
    const holder = isMember(node) ? valueOf(node.object)?.value : undefined
    if (key === null || !isRecord(holder)) return undefined
    const property = Object.getOwnPropertyDescriptor(holder, key)
    const isKnown = property === undefined ? !(key in Object.prototype) : property.get === undefined
    return isKnown ? { value: property?.value as unknown } : undefined
  }
  const said = (node: Node, value: unknown, beside?: Node): string => {
    const name = lastName(node)
    const isMasked = beside !== undefined && textOf(lastName(beside) ?? '', value) === mask
    const text = isMasked ? mask : textOf(name ?? '', value)
    return name === null ? text : `\`${codeWord(tree, node)}\` ${text}`
  }
  return [...nodes].flatMap((node) =>
    rules.flatMap((rule) => {
      const odd = rule(node, { tree, valueOf, said })
      // Types leave blanks behind.
      const code = tree
        .textOf(node)
        .replaceAll(/\s+/g, ' ')
        .replaceAll(/ (?=[),])/g, '')
        .replaceAll('`', "'")
      return odd === null ? [] : [`\`${code.slice(0, 80)}\` ${odd}`]
    }),
  )
}
