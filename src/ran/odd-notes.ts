// What lines of a request did with values that is hardly meant, each told the first time: as they ran, when something ran again, and at the end.

import { posix } from 'node:path'
import {
  bare,
  isFunction,
  isMember,
  patternNames,
  type Node,
  covers,
  isCall,
  propertyOf,
  visit,
} from '../errors/source/syntax.ts'
import type { FunctionNode } from '../errors/source/syntax.ts'
import type { SeenCall } from '../http/recording/recording.ts'
import type { Found } from '../observe/profile.ts'
import { statementIn, nameOfFunction, nodesIn } from '../origins/functions.ts'
import { type Odd, isRecord, rules, type Known, type Scene } from '../origins/odd-rules.ts'
import type { CodePlace, TracedFunction } from './code-scopes.ts'
import type * as t from '@babel/types'
import { mask } from '../base/redact/rules.ts'
import { wallMs } from '../base/timing/builtins.ts'
import { lastName } from '../origins/fault.ts'
import { codeWord, wholeWord } from '../origins/words.ts'
import type { SourceTree } from '../errors/source/source-tree.ts'
import { resultRules } from '../origins/odd-results.ts'

/** Lines whose odd values are told. */
const maxOdd = 10

type Variables = ReadonlyMap<string, unknown>

export class OddNotes {
  readonly found: Found[] = []
  /** Functions whose lines are noted. */
  readonly traced: Set<Node> = new Set()
  readonly #textOf: (name: string, value: unknown) => string
  readonly #timeMs: () => number
  readonly #told = new Map<CodePlace, { readonly line: number; readonly text: string }>()
  readonly #nodes: KnownNodes = new WeakMap()
  /** Offsets of the places of each call, in the order in which they were passed last. */
  readonly #passed = new WeakMap<object, Set<number>>()
  readonly #made = new Map<CodePlace, { readonly call: object; readonly odd: Odd; value: unknown }>()
  /** What the request set variables to that all requests share. */
  readonly #shared = new Map<string, { readonly value: unknown; readonly place: CodePlace; readonly set: Node }>()

  /** `textOf` masks by the name; `timeMs` is since the request began. */
  constructor(textOf: (name: string, value: unknown) => string, timeMs: () => number) {
    this.#textOf = textOf
    this.#timeMs = timeMs
  }

  /** Before the code of a place runs, with all that it names. */
  look(call: object, last: CodePlace | undefined, place: CodePlace, variables: Variables): void {
    const { of, offset, kind } = place
    if (kind === 'parameter') return
    const isOver = kind === 'return'
    const statement = statementIn(of.code.node, isOver ? offset - 1 : offset)
    this.#lookForShared(last, place, statement, variables)
    for (const [at, one] of this.#made)
      if (one.call === call && last === at) one.value = variables.get(one.odd.lost?.name ?? '')
    const passed = this.#passed.get(call) ?? new Set<number>()
    const since = [...passed].slice([...passed].indexOf(offset) + 1)
    const isAgain = passed.delete(offset)
    this.#passed.set(call, passed.add(offset))
    if (!place.isPassed || this.#isTold(place)) return
    const run = { tree: of.scopes.tree, statement, isOver, variables, textOf: this.#textOf }
    for (const odd of oddValuesAt(run, this.#nodes)) {
      if (odd.lost === undefined) this.#tell(place, odd)
      else if (!this.#made.has(place)) this.#made.set(place, { call, odd, value: undefined })
    }
    const again = isAgain ? triedAgain(of.scopes.tree, statement, since) : undefined
    if (again !== undefined) this.#tell(place, again)
  }

  /** What a call made in its last statement, and did not wait for. */
  lookForLeft(last: CodePlace, waiting: readonly { readonly of: TracedFunction }[]): void {
    if (waiting.length === 0 || this.#isTold(last)) return
    const { scopes, code } = last.of
    const statement = statementIn(code.node, last.offset)
    const left = waiting.map((one) => one.of.code)
    const text = leftBehind(scopes.tree, code.node, statement, left)
    if (text !== undefined) this.#tell(last, { text, at: statement })
  }

  /** When the request has ended. */
  end(): void {
    for (const [place, { odd, value }] of this.#made)
      if (odd.lost?.isSo(value) === true && !this.#isTold(place)) this.#tell(place, odd)
  }

  toldOf(of: TracedFunction): SeenCall['odd'] {
    return [...this.#told].flatMap(([at, told]) => (at.of === of ? [{ ...told, seenAt: at.line }] : []))
  }

  #isTold(place: CodePlace): boolean {
    return this.#told.has(place) || this.#told.size >= maxOdd
  }

  #tell(place: CodePlace, { text, at }: Odd): void {
    const line = place.of.lineOf(at.start ?? 0)
    this.#told.set(place, { line, text })
    const parts = [{ text: place.of.code.name, place: `${place.of.head.file}:${line}`, token: null }]
    this.found.push({ kind: 'odd_value', text, parts, timeMs: this.#timeMs() })
  }

  #lookForShared(last: CodePlace | undefined, place: CodePlace, statement: Node, variables: Variables): void {
    const { of, line } = place
    const { tree } = of.scopes
    const set = last && bare(statementIn(of.code.node, last.offset))
    for (const [name, value] of variables) {
      const key = sharedKey(of, name, statement)
      if (key === undefined || typeof value === 'number') continue
      const isSet = set?.type === 'AssignmentExpression' && set.operator === '=' && tree.textOf(set.left) === name
      if (last !== undefined && isSet) this.#shared.set(key, { value, place: last, set })
      const known = this.#shared.get(key)
      if (known === undefined || Object.is(known.value, value) || this.#isTold(known.place)) continue
      // Who else may have set it would have been noted.
      const home = known.place.of.scopes.tree
      const isSure = home.assignments.every((one) => {
        const isOther = isMember(one.left) || !patternNames(one.left).includes(key.slice(key.indexOf(':') + 1))
        const isNoted = one.left.type === 'Identifier' && home.parentOf(one)?.type === 'ExpressionStatement'
        return isOther || (isNoted && this.traced.has(home.around(one, isFunction) ?? one))
      })
      if (!isSure) continue
      const [own, other] = [known.value, value].map((each) => this.#textOf(name, each))
      const text = `\`${name}\` is shared by all requests: ${of.head.file}:${line} found ${other} where this one had set ${own}`
      this.#tell(known.place, { text, at: known.set })
    }
  }
}

/** Of a variable of a module, by the file that declares it; an import has the same key. */
function sharedKey({ scopes: { tree }, head: { file } }: TracedFunction, name: string, at: Node): string | undefined {
  const { kind, scope, source } = tree.bindingOf(name, at) ?? {}
  const isOwn = kind === 'variable' && scope === tree.program
  const home = source ? posix.join(posix.dirname(file), source.from) : file
  const isKnown = source ? source.from.startsWith('.') : isOwn
  return isKnown ? `${home.replace(/\.[cm]?[jt]sx?$/, '')}:${source?.name ?? name}` : undefined
}

/** A statement of the application, and what its variables are. */
interface RunStatement {
  readonly tree: SourceTree
  readonly statement: Node
  readonly isOver: boolean
  readonly variables: ReadonlyMap<string, unknown>
  /** Masked by its name. */
  readonly textOf: (name: string, value: unknown) => string
}

/** The expressions of a statement that are looked at, and whether each runs whenever it does; so that a loop does not search for them again. */
type KnownNodes = WeakMap<Node, ReadonlyMap<Node, boolean>>

/** What of a statement runs whenever it does: loops and blocks have places of their own. */
function rootOf(tree: SourceTree, statement: Node): Node | null | undefined {
  if (statement.type === 'IfStatement') return statement.test
  if (statement.type === 'ReturnStatement' || statement.type === 'ThrowStatement') return statement.argument
  if (statement.type === 'ExpressionStatement') return statement
  if (statement.type === 'VariableDeclaration')
    return tree.parentOf(statement)?.type.startsWith('For') ? null : statement
  return /Statement$|Declaration$/.test(statement.type) ? null : statement
}

const everyRule = [...rules, ...resultRules]
const changing = /^(?:(?:Optional)?Call|New|Await|Yield|Assignment|Update)Expression$/

function nodesOf({ tree, statement, isOver }: RunStatement): ReadonlyMap<Node, boolean> {
  const nodes = new Map<Node, boolean>()
  const changes: Node[] = []
  const root = rootOf(tree, statement)
  if (!root) return nodes
  visit(root, (node) => {
    if (node !== root && isFunction(node)) return false
    if (changing.test(node.type) && !isClock(tree, node)) changes.push(node)
    nodes.set(node, isReached(tree, node, root))
    return true
  })
  for (const node of nodes.keys())
    if (changes.some((change) => isOver || (change.end ?? 0) <= (node.start ?? 0))) nodes.delete(node)
  return nodes
}

/** Whether an expression of another one runs; without values whether it always does. */
function isReached(tree: SourceTree, node: Node, root: Node, valueOf: Scene['valueOf'] = () => undefined): boolean {
  let inner = node
  for (let around = tree.parentOf(inner); inner !== root && around !== undefined; around = tree.parentOf(inner)) {
    const isMaybe =
      (around.type === 'LogicalExpression' &&
        around.right === inner &&
        goesOn(around, valueOf(around.left)) !== true) ||
      (around.type === 'ConditionalExpression' &&
        around.test !== inner &&
        isTrue(valueOf(around.test)) !== (around.consequent === inner)) ||
      (around.type === 'OptionalCallExpression' && around.callee !== inner) ||
      (around.type === 'AssignmentExpression' && /^(?:\|\||&&|\?\?)=$/.test(around.operator)) ||
      around.type === 'AssignmentPattern'
    if (isMaybe) return false
    inner = around
  }
  return true
}

function isTrue(known: Known): boolean | undefined {
  return known && Boolean(known.value)
}

/** Whether an operator looks at its right side. */
function goesOn({ operator }: t.LogicalExpression, left: Known): boolean | undefined {
  if (operator === '??') return left && (left.value === undefined || left.value === null)
  return left && isTrue(left) === (operator === '&&')
}

function computed({ operator }: t.BinaryExpression, left: unknown, right: unknown): Known {
  if (/^[!=]==$/.test(operator)) return { value: (left === right) === (operator === '===') }
  if (typeof left !== 'number' || typeof right !== 'number') return undefined
  const results: Readonly<Record<string, number | boolean>> = {
    '+': left + right,
    '-': left - right,
    '*': left * right,
    '/': left / right,
    '<': left < right,
    '>': left > right,
  }
  return Object.hasOwn(results, operator) ? { value: results[operator] } : undefined
}

/** What a statement does, in the order in which it is written. Runs no code of the application. */
function oddValuesAt(run: RunStatement, known: KnownNodes): readonly Odd[] {
  const { tree, variables, textOf } = run
  const nodes = known.get(run.statement) ?? nodesOf(run)
  known.set(run.statement, nodes)
  const variable = (name: string): Known => (variables.has(name) ? { value: variables.get(name) } : undefined)
  const valueOf = (given: Node): Known => {
    const node = bare(given)
    if (isClock(tree, node)) return { value: wallMs() }
    if (node.type === 'NumericLiteral' || node.type === 'StringLiteral') return { value: node.value }
    if (!nodes.has(node)) return undefined
    if (node.type === 'BinaryExpression') {
      const [left, right] = [valueOf(node.left), valueOf(node.right)]
      return left && right && computed(node, left.value, right.value)
    }
    if (node.type === 'LogicalExpression') {
      const left = valueOf(node.left)
      return goesOn(node, left) === true ? valueOf(node.right) : left
    }
    if (node.type === 'Identifier') return node.name === 'undefined' ? { value: undefined } : variable(node.name)
    const [part] = node.type === 'ArrayExpression' && node.elements.length === 1 ? node.elements : []
    if (part?.type === 'SpreadElement') return valueOf(part.argument)
    const key = isMember(node) ? propertyOf(node) : null
    const holder = isMember(node) ? valueOf(node.object)?.value : undefined
    if (key === null || !isRecord(holder)) return undefined
    const property = Object.getOwnPropertyDescriptor(holder, key)
    const isKnown = property === undefined ? !(key in Object.prototype) : property.get === undefined
    return isKnown ? { value: property?.value } : undefined
  }
  const said = (node: Node, value: unknown, beside?: Node): string => {
    const name = lastName(node)
    const isMasked = beside !== undefined && textOf(lastName(beside) ?? '', value) === mask
    const text = isMasked ? mask : textOf(name ?? '', value)
    return name === null ? text : `\`${codeWord(tree, node)}\` ${text}`
  }
  const root = rootOf(tree, run.statement) ?? run.statement
  const reached = [...nodes].filter(([node, isAlways]) => isAlways || isReached(tree, node, root, valueOf))
  return reached.flatMap(([node]) =>
    everyRule.flatMap((rule): readonly Odd[] => {
      const found = rule(node, { tree, valueOf, said, variable })
      if (found === null) return []
      const { text, ...more } = typeof found === 'string' ? { text: found, at: named(node) } : found
      return [{ ...more, text: `${codeAt(tree, node)} ${text}` }]
    }),
  )
}

/** It changes nothing, and gives nearly the same when it is asked again. */
function isClock(tree: SourceTree, node: Node): boolean {
  return isCall(node) && tree.textOf(node) === 'Date.now()'
}

/** What stands in the line of an expression that goes over several: the name that is called. */
function named(node: Node): Node {
  return isCall(node) && isMember(node.callee) ? node.callee.property : node
}

function codeAt(tree: SourceTree, node: Node): string {
  // Types leave blanks behind.
  const code = tree
    .textOf(node)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ (?=[),])/g, '')
  return `\`${code.replaceAll('`', "'").slice(0, 80)}\``
}

/** What an async function is said to do that has gone on behind a statement, while calls that it made in it still wait. */
function leftBehind(
  tree: SourceTree,
  owner: FunctionNode,
  statement: Node,
  waiting: readonly { readonly name: string; readonly node: Node }[],
): string | undefined {
  const call = statement.type === 'ExpressionStatement' ? bare(statement.expression) : undefined
  if (call === undefined || !isCall(call)) return undefined
  const name = lastName(call.callee) ?? ''
  // Of Koa and Hono: that of Express gives nothing to wait for.
  const isNext = name === 'next' && owner.params.length === 2 && tree.bindingOf(name, call)?.index === 1
  const isHandled = /^(?:then|catch|finally)$/.test(name)
  const left = waiting.find(
    (one) => isNext || one.name === name || (!isHandled && tree.around(one.node, isCall) === call),
  )
  return left && `${codeAt(tree, call)} goes on while \`${left.name}\` still runs: nothing waits for it`
}

/** A try of a loop that is named for it, which nothing leaves after a success. `since`: offsets of what ran since the statement ran before. */
function triedAgain(tree: SourceTree, statement: Node, since: readonly number[]): Odd | undefined {
  const block = tree.parentOf(statement) ?? statement
  const tried = tree.parentOf(block) ?? block
  const loop = tree.parentOf(tree.parentOf(tried) ?? tried)
  const handler = tried.type === 'TryStatement' && tried.block === block ? tried.handler : null
  const [call] = nodesIn(statement, isCall)
  if ((loop?.type !== 'ForStatement' && loop?.type !== 'WhileStatement') || !call || !handler) return undefined
  if (loop.test?.type !== 'BinaryExpression' || handler.body.body.length === 0) return undefined
  const isLeft = (node: Node): node is Node => /^(?:Return|Break|Continue|Throw)Statement$/.test(node.type)
  const leaves = nodesIn(loop.body, isLeft).some(({ start }) => !covers(handler, start ?? 0))
  const [counter = '', ...others] = tree.textOf(loop.test).match(/[A-Za-z_$][\w$]*/g) ?? []
  const owner = tree.around(loop, isFunction)
  const isRetry = /try|tries|attempt/i.test(`${tree.textOf(loop.test)} ${(owner && nameOfFunction(tree, owner)) ?? ''}`)
  const isUsed = wholeWord(counter, ...others).test(tree.textOf(block))
  if (leaves || isUsed || !isRetry || since.some((at) => covers(handler, at))) return undefined
  return { text: `${codeAt(tree, call)} runs again after a success: nothing leaves the loop`, at: call }
}
