// What of an expression and its values is hardly meant, and throws nothing: each rule says what proves it, and runs no code of the application.

import { types } from 'node:util'
import type * as t from '@babel/types'
import { editDistance } from '../base/options/check-options.ts'
import { lastName } from './fault.ts'
import { codeWord } from './words.ts'
import type { SourceTree } from '../errors/source/source-tree.ts'
import { bare, isCall, isFunction, isMember, nameOfKey, propertyOf, visit, type Node } from '../errors/source/syntax.ts'

/** Of an expression that ran before anything could change the values; `undefined` where that is not certain. */
export type Known = { readonly value: unknown } | undefined

export interface Scene {
  readonly tree: SourceTree
  readonly valueOf: (node: Node) => Known
  /** With the name of the variable or property: `` `price` 5 ``. Masked by the name of `beside`, too: what equals a password is the password. */
  readonly said: (node: Node, value: unknown, beside?: Node) => string
  /** Of a variable that the statement names somewhere, also in a callback. */
  readonly variable: (name: string) => Known
}

export interface Odd {
  readonly text: string
  /** What to change. */
  readonly at: Node
  /** It is odd only if a value, that of a variable, is so at the end. Default: in any case. */
  readonly lost?: { readonly name: string; readonly isSo: (value: unknown) => boolean }
}

/** `null`: nothing is odd, or that is not certain. */
export type Rule = (node: Node, scene: Scene) => string | Odd | null

export const rules: readonly Rule[] = [
  onOperands(/^[<>]=?$/, (left, right, both) => {
    const isWrong =
      isNumeral(left) && isNumeral(right) && left !== right && left < right !== Number(left) < Number(right)
    return isWrong ? `compares two texts letter by letter: ${both}` : null
  }),
  onOperands(/^[!=]==$/, (left, right, both, { node, tree }) => {
    const isTime = types.isDate(left) && types.isDate(right) && left !== right && timeOf(left) === timeOf(right)
    if (isTime) return 'compares two dates of the same time, which are two objects'
    // `id === 5 || id === '5'` knows of both.
    const around = tree.parentOf(node)
    if (around?.type === 'LogicalExpression' && countOf(tree, around, node.left) > 1) return null
    if (right !== undefined && twinOf(left) === right)
      return `compares a number with a text, which are never equal: ${both}`
    const isMade = (one: Node): boolean => changesLetters.test(declarationOf(tree, one))
    if (areAlike(left, right) && !isMade(node.left) && !isMade(node.right))
      return `compares texts that differ in case or blanks only: ${both}`
    return isRoundedOff(left, right) ? `compares numbers that differ by rounding only: ${both}` : null
  }),
  onOperands(/^\+$/, (left, right, both, { node }) => {
    const isNumber = typeof left === 'number' ? isNumeral(right) : typeof right === 'number' && isNumeral(left)
    // `'0' + hours` is meant.
    const isWritten = [node.left, node.right].some(({ type }) => type === 'StringLiteral')
    const areAmounts = [left, right].every((one) => typeof one === 'string' && /^-?\d+\.\d\d$/.test(one))
    if (areAmounts && !isWritten) return `joins two texts instead of adding numbers: ${both}`
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
  (node, scene) => {
    if (!isCall(node) || !isMember(node.callee)) return null
    const { tree, valueOf } = scene
    const { callee } = node
    const [name, holder] = [propertyOf(callee) ?? '', valueOf(callee.object)?.value]
    const [given] = node.arguments
    if (types.isRegExp(holder) && name === 'test' && lastIndexOf(holder) > 0)
      return `begins at letter ${lastIndexOf(holder) + 1}: a pattern with the flag g remembers where it stopped`
    if (types.isDate(holder)) return ofDate(name, holder, tree.parentOf(node))
    if (isList(holder) && holder.length > 1 && /^(?:sort|reverse)$/.test(name)) {
      const isUsed = tree.parentOf(node)?.type !== 'ExpressionStatement'
      if (isUsed && isShared(tree, callee.object))
        return `changes \`${tree.textOf(callee.object)}\` itself, which all requests share`
    }
    if (isList(holder) && (given === undefined || isFunction(given) || types.isAsyncFunction(valueOf(given)?.value)))
      return ofList(name, given, holder)
    const asked = given && valueOf(given)
    return !given || !asked ? null : lookedUp([callee.object, given], asked.value, keysOf(holder, name), scene)
  },
  (node, { tree, valueOf }) => {
    if (!isCall(node) || !isMember(node.callee)) return null
    const [name, value] = [propertyOf(node.callee) ?? '', valueOf(node.callee.object)?.value]
    const [given, second] = node.arguments
    if (name === 'indexOf' && isCondition(tree, node)) return 'counts as true where nothing is found: it gives -1 then'
    const isArray = isList(value) || /^(?:new )?Array\b/.test(tree.textOf(node.callee.object))
    if (name === 'fill' && isArray && given?.type === 'ArrayExpression' && !second)
      return 'puts one list into each element'
    const isUsed = tree.parentOf(node)?.type !== 'ExpressionStatement'
    const isOfAll = tree.textOf(node.callee) === 'Object.assign' && given && second && isShared(tree, given)
    const isOdd = isOfAll && isRecord(valueOf(given)?.value)
    if (isUsed) return isOdd ? `changes \`${tree.textOf(given)}\` itself, which all requests share` : null
    let doesMore = false
    for (const one of node.arguments) visit(one, ({ type }) => !(doesMore ||= doing.test(type)))
    const isText = typeof value === 'string' && copiesText.test(name)
    const isCopy = !doesMore && (isText || (isList(value) && copiesList.test(name)))
    return isCopy ? `makes a new ${isText ? 'text' : 'list'}, which nothing keeps` : null
  },
  (node, scene) => {
    if (!isMember(node) || !node.computed) return null
    const [holder, asked] = [scene.valueOf(node.object)?.value, scene.valueOf(node.property)?.value]
    if (typeof asked !== 'string' || !isRecord(holder) || Object.hasOwn(holder, asked)) return null
    return lookedUp([node.object, node.property], asked, Object.keys(holder), scene)
  },
  (node, { tree, valueOf, said }) => {
    if (!isCall(node)) return null
    const { callee } = node
    const [given] = node.arguments
    if (given === undefined) return null
    const name = lastName(callee) ?? ''
    const owner = isMember(callee) ? callee.object : callee
    const isBuiltIn = owner.type === 'Identifier' && tree.bindingOf(owner.name, owner) === undefined
    const known = isBuiltIn ? valueOf(given) : undefined
    if (known === undefined) return null
    const { value } = known
    if (typeof value === 'number') {
      const made = whole.get(name)?.(value)
      const isOff = isRoundedOff(value, Math.round(value)) && made !== undefined && made !== Math.round(value)
      return isOff ? `makes ${made} of ${value}, which is ${Math.round(value)} but for rounding` : null
    }
    const [start] = (typeof value === 'string' && readings.get(name)?.exec(value)) || []
    const rest = start === undefined ? '' : String(value).slice(start.length)
    // `parseInt('3.7')` is meant.
    const isLost = /^(?:[,.'_\s]|e[-+]?)\d/i.test(rest) && !/^\.\d+$/.test(rest)
    return isLost ? `reads only ${said(given, start).replace(/^`[^`]*` /, '')} of ${said(given, value)}` : null
  },
  (node, { tree, valueOf }) => {
    if (!isCondition(tree, node)) return null
    const isAsked = isCall(node) && types.isAsyncFunction(valueOf(node.callee)?.value)
    const isKept = node.type === 'Identifier' && types.isPromise(valueOf(node)?.value) && !isWaitedFor(tree, node)
    return isAsked || isKept ? 'asks a promise, which counts as true: `await` is missing' : null
  },
  (node, { valueOf }) => {
    const parts = node.type === 'ObjectExpression' ? node.properties : []
    const last = parts.at(-1)
    if (last?.type !== 'SpreadElement' || !/default/i.test(lastName(last.argument) ?? '')) return null
    const given = valueOf(last.argument)?.value
    for (const part of parts.slice(0, -1)) {
      const input = part.type === 'SpreadElement' ? valueOf(part.argument)?.value : undefined
      const key =
        isRecord(input) && isRecord(given) ? Object.keys(given).find((one) => differAt(input, given, one)) : ''
      if (key) return `overrides \`${key}\`, which was given: what comes last counts`
    }
    return null
  },
  (node, { tree, valueOf }) => {
    if (node.type !== 'BinaryExpression' || node.operator !== '*') return null
    const page = [node.left, node.right].find((one) => /^page/i.test(lastName(one) ?? ''))
    const around = tree.parentOf(node)
    const target =
      around?.type === 'ObjectProperty' ? around.key : around?.type === 'VariableDeclarator' ? around.id : null
    const isStart = /^(?:offset|skip|start|from|first)$/i.test((target && nameOfKey(target)) ?? '')
    const isSlice =
      around !== undefined && isCall(around) && around.arguments[0] === node && lastName(around.callee) === 'slice'
    // Only where pages are counted from 1.
    const isFromOne = /^page\S* = 1$|\bmax\(\s*1\s*,|(?:\?\?|\|\|)\s*['"]?1['"]?(?![\d.])/.test(
      page === undefined ? '' : declarationOf(tree, page),
    )
    return (isStart || isSlice) && isFromOne && page !== undefined && valueOf(page)?.value === 1
      ? 'begins page 1 behind the first page: pages are counted from 1 here'
      : null
  },
  // `const cart = session.cart ?? []`, where nobody puts the new one into the session.
  (node, { tree, valueOf }) => {
    const declared = tree.parentOf(node)
    if (node.type !== 'LogicalExpression' || declared?.type !== 'VariableDeclarator') return null
    if (declared.id.type !== 'Identifier') return null
    const left = bare(node.left)
    const isGot = isCall(left) && isMember(left.callee) && propertyOf(left.callee) === 'get'
    const from = isMember(left) ? left.object : isGot ? (left.callee as t.MemberExpression).object : left
    const holder = valueOf(from)?.value
    const asked = isMember(left) ? { value: propertyOf(left) } : isGot ? valueOf(left.arguments[0] as Node) : undefined
    const key = asked?.value ?? null
    const isEmpty = /^\[\]$|^new (?:Map|Set)\b.*\(\)$/.test(tree.textOf(node.right))
    // What lives as long as the request only may be meant to be forgotten.
    const isLasting = isGot ? types.isMap(holder) : isShared(tree, from) || /session/i.test(tree.textOf(from))
    const isSet = tree.assignments.some((one) => isMember(one.left) && propertyOf(one.left) === key)
    if (!isEmpty || !isLasting || isSet || isFilled(tree, from) || Object(holder) !== holder) return null
    const has = (): boolean =>
      isGot ? Map.prototype.has.call(holder, key) : typeof key === 'string' && mayHave(holder, key)
    const isSo = (now: unknown): boolean => keysOf(now, isList(now) ? 'includes' : 'has').length > 0 && !has()
    const text = `makes a new one that something was added to, and that \`${codeWord(tree, from)}\` never gets`
    return key === null || has() ? null : { text, at: node, lost: { name: declared.id.name, isSo } }
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

const copiesText = /^(?:replace(?:All)?|trim\w*|to(?:Lower|Upper)Case|slice|substring|concat|pad(?:Start|End)|repeat)$/
const copiesList = /^(?:concat|slice|filter|map|flat(?:Map)?|to(?:Sorted|Reversed|Spliced)|with)$/
const doing = /^(?:(?:Optional)?Call|New|Await|Assignment|Update)Expression$|Statement$/

const whole: ReadonlyMap<string, (value: number) => number> = new Map([
  ['floor', Math.floor],
  ['trunc', Math.trunc],
  ['parseInt', Math.trunc],
  ['ceil', Math.ceil],
])
/** What they read of a text. */
const readings: ReadonlyMap<string, RegExp> = new Map([
  ['parseInt', /^\s*[-+]?\d+/],
  ['parseFloat', /^\s*[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?/i],
])
/** Keys of a map or set that are looked at. */
const maxKeys = 1000
const changesLetters = /\.(?:trim\w*|to(?:Lower|Upper)Case)\(/
const logs = /^(?:log|debug|info|warn|error|trace|fail|assert|ok|equal)$/

export function onOperands(
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

/** What a place that is asked for a value has instead of it. */
function lookedUp(
  [holder, node]: readonly [Node, Node],
  asked: unknown,
  keys: readonly unknown[],
  { tree, said }: Scene,
): string | null {
  if (keys.includes(asked)) return null
  const twin = twinOf(asked)
  const found = keys.find((one) => (twin !== undefined && one === twin) || areAlike(one, asked))
  if (found === undefined || isFilled(tree, holder)) return null
  const as =
    typeof found === typeof asked
      ? said(node, found, holder).replace(/^`[^`]*` /, '')
      : `a ${typeof found === 'number' ? 'number' : 'text'}`
  return `looks for ${said(node, asked, holder)}, which is there as ${as}`
}

/** Of a day that begins in another zone. `around` tells whether only the day of a text is taken: a time says the same in each zone. */
function ofDate(name: string, date: Date, around: Node | undefined): string | null {
  const [, part] = /^get(Date|Day|Month|FullYear)$/.exec(name) ?? []
  const [utc, local] = [timeOf(date), timeOf(date) - Date.prototype.getTimezoneOffset.call(date) * 60_000]
  const dayMs = 86_400_000
  if (Math.floor(utc / dayMs) === Math.floor(local / dayMs)) return null
  const isUtcDay = part !== undefined && utc % dayMs === 0
  const isCut =
    around !== undefined && isMember(around) && /^(?:slice|split|substr(?:ing)?)$/.test(propertyOf(around) ?? '')
  const isLocalDay = /^to(?:ISOString|JSON)$/.test(name) && isCut && local % dayMs === 0
  const [day, other] = [utc, local].map((time) => new Date(time).toISOString().slice(0, 10))
  if (isUtcDay) return `is of ${other}, the day of this zone, where the date is ${day} in UTC`
  return isLocalDay ? `is of ${day}, the day in UTC, where the date is ${other} in this zone` : null
}

function ofList(name: string, given: Node | undefined, list: readonly unknown[]): string | null {
  const isSort = /^(?:sort|toSorted)$/.test(name) && list.length > 1
  if (given === undefined) {
    const sorted =
      isSort && list.every((one) => typeof one === 'number') ? list.toSorted((one, other) => one - other) : []
    const isOther = sorted.some((one, index) => index > 0 && String(sorted[index - 1]) > String(one))
    return isOther ? 'sorts numbers as texts: it has no comparator' : null
  }
  const isAsync = list.length > 0 && (!isFunction(given) || given.async)
  if (isAsync && /^(?:filter|some|every|find\w*)$/.test(name))
    return 'asks a callback that gives a promise, which counts as true'
  if (isAsync && name === 'forEach') return 'goes on at once: it waits for no callback'
  if (!isFunction(given)) return null
  const compared = bare(given.body)
  const isTruth = compared.type === 'BinaryExpression' && /^[<>]=?$/.test(compared.operator)
  return isSort && isTruth ? 'sorts by true and false: a comparator gives a number below 0, 0 or above' : null
}

/** What a list, map or set has, where a method of that name looks for a value in it. */
function keysOf(holder: unknown, name: string): readonly unknown[] {
  if (isList(holder) && /^(?:includes|indexOf)$/.test(name)) return holder
  if (!/^(?:get|has|delete)$/.test(name)) return []
  const all = types.isMap(holder)
    ? Map.prototype.keys.call(holder)
    : types.isSet(holder)
      ? Set.prototype.keys.call(holder)
      : undefined
  return all === undefined ? [] : [...all.take(maxKeys)]
}

/** Texts that differ in the case of their letters, or in blanks around them. */
function areAlike(one: unknown, other: unknown): boolean {
  if (typeof one !== 'string' || typeof other !== 'string' || one === other) return false
  const letters = one.trim().toLowerCase()
  return letters !== '' && letters === other.trim().toLowerCase()
}

function isRoundedOff(one: unknown, other: unknown): boolean {
  if (typeof one !== 'number' || typeof other !== 'number') return false
  return one !== other && Math.abs(one - other) < 1e-12 * Math.max(Math.abs(one), Math.abs(other))
}

function lastIndexOf(pattern: RegExp): number {
  return Number(Object.getOwnPropertyDescriptor(pattern, 'lastIndex')?.value)
}

/** Whether two records have a property in common, with other values. */
function differAt(one: object, other: object, key: string): boolean {
  const [left, right] = [one, other].map((holder): unknown => Object.getOwnPropertyDescriptor(holder, key)?.value)
  return left !== undefined && right !== undefined && left !== right
}

/** Whether an expression begins with a name of the module. */
function isShared(tree: SourceTree, node: Node): boolean {
  if (isMember(node)) return isShared(tree, node.object)
  return node.type === 'Identifier' && tree.bindingOf(node.name, node)?.scope === tree.program
}

/** Whether the function around an expression puts something under a key of it: it asks what is there already. */
function isFilled(tree: SourceTree, node: Node): boolean {
  const [text, owner] = [tree.textOf(node), tree.around(node, isFunction)]
  const isIt = (holder: Node): boolean => tree.textOf(holder) === text && tree.around(holder, isFunction) === owner
  return (
    tree.assignments.some(({ left }) => isMember(left) && left.computed && isIt(left.object)) ||
    tree.calls.some(
      ({ callee }) => isMember(callee) && /^(?:set|add|push)$/.test(propertyOf(callee) ?? '') && isIt(callee.object),
    )
  )
}

/** The source that gives a variable its value, or a parameter its default; empty for other expressions. */
function declarationOf(tree: SourceTree, node: Node): string {
  const { node: name } = (node.type === 'Identifier' && tree.bindingOf(node.name, node)) || {}
  const made = name && tree.parentOf(name)
  if (made?.type === 'VariableDeclarator') return made.init ? `= ${tree.textOf(made.init)}` : ''
  return made?.type === 'AssignmentPattern' ? tree.textOf(made) : ''
}

function countOf(tree: SourceTree, around: Node, node: Node): number {
  return tree.textOf(around).split(tree.textOf(node)).length - 1
}

function isCondition(tree: SourceTree, node: Node): boolean {
  const around = tree.parentOf(node)
  if (around?.type === 'IfStatement' || around?.type === 'ConditionalExpression') return around.test === node
  if (around?.type === 'LogicalExpression')
    return (around.operator === '&&' && around.left === node) || isCondition(tree, around)
  return around?.type === 'UnaryExpression' && around.operator === '!'
}

/** Whether a promise that a name has is waited for or given back somewhere: `if (pending) return pending`. */
function isWaitedFor(tree: SourceTree, node: t.Identifier): boolean {
  const owner = tree.around(node, isFunction)
  return new RegExp(`(?:await|return|yield) ${node.name}\\b|\\b${node.name}\\.then\\b`).test(
    tree.textOf(owner ?? tree.program),
  )
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
export function isList(value: unknown): value is readonly unknown[] {
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
export function isRecord(value: unknown): value is object {
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
  const [name = '', key = ''] = [one, other].map((text) => text.toLowerCase().replaceAll(/[_-]/g, ''))
  if (name === key) return true
  const isLetter =
    Math.abs(name.length - key.length) === 1 || [...name].toSorted().join() === [...key].toSorted().join()
  const isWord = Math.min(name.length, key.length) > 3 && name[0] === key[0] && !/\d/.test(name + key)
  return isWord && isLetter && editDistance(name, key, 2) <= (name.length === key.length ? 2 : 1)
}
