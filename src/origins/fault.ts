// What failed, as the message says it, and which expressions of a line it is about.

import type * as t from '@babel/types'
import type { FlattenedError, Frame } from '../errors/flattened-error.ts'
import type { Place } from './project-sources.ts'
import type { SourceTree } from '../errors/source/source-tree.ts'
import { bare, covers, isCall, isFunction, isMember, nameOfKey, propertyOf } from '../errors/source/syntax.ts'
import type { CallNode, Node } from '../errors/source/syntax.ts'

export interface Fault {
  /** `nothing`: a property of undefined or null was read. `thrown`: a `throw` of the application's own. */
  readonly kind: 'nothing' | 'not-callable' | 'not-iterable' | 'undeclared' | 'early' | 'thrown' | 'other'
  /** The property, name or expression that the message names; empty without one. */
  readonly subject: string
  readonly message: string
  /** Words of the message that may be written somewhere: names, paths, hosts. */
  readonly tokens: readonly string[]
}

/** An expression whose value is in question. */
export interface Use extends Place {
  /** From 0 to 1: how directly the error is about it. */
  readonly weight: number
  /** Whether the message is about this value, not only about a call that has to do with it. */
  readonly isValue: boolean
  /** What was read of it there. Default: nothing. */
  readonly path?: readonly { readonly name: string; readonly at: Place }[]
}

const readings: readonly (readonly [Fault['kind'], RegExp])[] = [
  ['nothing', /^Cannot (?:read|set) properties of (?:undefined|null) \((?:reading|setting) '([^']*)'\)/],
  ['nothing', /^Cannot destructure property '([^']*)'/],
  ['nothing', /^Cannot convert undefined or null to object()/],
  ['not-iterable', /^([^]+?) is not a function or its return value is not (?:async )?iterable/],
  ['not-callable', /^([^]+?) is not a (?:function|constructor)/],
  ['not-iterable', /^([^]+?) is not (?:async )?iterable/],
  ['nothing', /^Missing named parameter "(\w+)"/],
  ['nothing', / returned nothing \(()undefined\)/],
  ['undeclared', /^(\S+) is not defined/],
  ['early', /^Cannot access '([^']+)' before initialization/],
]

export function faultOf({ message }: Pick<FlattenedError, 'message'>): Fault {
  const text = message.slice(0, 2000)
  for (const [kind, pattern] of readings) {
    const match = pattern.exec(text)
    if (match !== null) return { kind, subject: match[1] ?? '', message: text, tokens: [] }
  }
  return { kind: 'other', subject: '', message: text, tokens: tokensOf(text) }
}

/** Quoted text, and words that look like names, paths or hosts. */
function tokensOf(message: string): string[] {
  const quoted = [...message.matchAll(/["'`]([^"'`\n]{2,200})["'`]/g)].map(([, token]) => token ?? '')
  const words = message.split(/[\s"'`(),;=]+/).map((word) => word.replace(/[.:?!]+$/, ''))
  const named = words.filter(
    (word) => word.length >= 2 && (/\w[_/.@-]\w|\d\w|[a-z][A-Z]|^[A-Z]{2,}$/.test(word) || quoted.includes(word)),
  )
  const last = /(?:: |column |table |relation )"?([\w./-]+)"?/.exec(message)?.[1]
  return [...new Set([...quoted, ...named, ...(last === undefined ? [] : [last])])].filter(isTelling).slice(0, 30)
}

/** Short words, numbers and the language's own words are in many lines by accident. */
function isTelling(token: string): boolean {
  return token.length >= 3 && !/^[\d.,\s]+$/.test(token) && !commonWords.test(token)
}

const commonWords =
  /^(?:NaN|JSON|HTML|HTTP|HTTPS|URL|UTC|SQL|API|GET|POST|PUT|PATCH|DELETE|HEAD|null|undefined|true|false|object|Object|Array|Promise|string|number|boolean|function|Error|\w*Error|<!DOCTYPE.*)$/

/** The values that a thrown template put into its message: `plna` of `No value for plna`. */
export function valuesIn(tree: SourceTree, frame: Pick<Frame, 'line' | 'column'>, { message }: Fault): string[] {
  const thrown = throwAt(tree, tree.nodesOnLine(frame.line), tree.offsetOf(frame.line, frame.column))
  const [made] = thrown !== undefined && isCall(thrown.argument) ? thrown.argument.arguments : []
  if (made?.type !== 'TemplateLiteral') return []
  const parts = made.quasis.map(({ value }) => (value.cooked ?? value.raw).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const [, ...values] = new RegExp(`^${parts.join('([^]{1,200}?)')}$`).exec(message) ?? []
  return values.filter((value) => /^[\w.@:/-]+$/.test(value) && isTelling(value))
}

/** The expressions that a frame's line is about, the most direct first. `isFirst`: the frame where the error was made. */
export function usesAt(tree: SourceTree, frame: Pick<Frame, 'line' | 'column'>, fault: Fault, isFirst: boolean): Use[] {
  const offset = tree.offsetOf(frame.line, frame.column)
  const nodes = nodesAt(tree, frame.line, offset)
  const make = (found: readonly (Node | null | undefined)[], weight = 1, isValue = isFirst): Use[] =>
    found.flatMap((node) => (node ? [{ tree, node, weight, isValue }] : []))
  if (isFirst) {
    const thrown = throwAt(tree, nodes, offset)
    if (thrown !== undefined) return make(guardsOf(tree, thrown))
    const direct = make(directly(tree, nodes, offset, fault))
    if (direct.length > 0) return direct
  }
  const call = callAt(nodes, offset)
  if (call === undefined) return make(nodes.flatMap((node) => leavesOf(node, 1)).slice(0, 8), isFirst ? 0.9 : 0.5)
  const { callee } = call
  // Where one of its arguments failed, it was not called.
  const isCalled =
    fault.kind !== 'undeclared' && (covers(callee, offset) || call.start === offset || isWaitedFor(tree, call, offset))
  // A query reads what it names of the object that it is given.
  if (isFirst && fault.message.startsWith('Missing named parameter'))
    return call.arguments.map((node) => {
      const at = { tree, node }
      return { tree, node, weight: 1, isValue: true, path: [{ name: fault.subject, at }] }
    })
  return [
    ...make(
      call.arguments.map((argument) => (argument.type === 'SpreadElement' ? argument.argument : argument)),
      isFirst ? 1 : 0.6,
    ),
    ...make(
      [isMember(callee) ? callee.object : null, ...(isFirst && isCalled ? [call] : [])],
      isFirst ? 0.9 : 0.5,
      false,
    ),
  ]
}

/** The nodes of a line that belong to the function which is running: not the calls that this function is written into. */
export function nodesAt(tree: SourceTree, line: number, offset: number): Node[] {
  const nodes = tree.nodesOnLine(line)
  const body = nodes.flatMap((node) => (isFunction(node) && covers(node.body, offset) ? [node.body] : [])).at(-1)
  if (body === undefined) return nodes
  return nodes.filter((node) => (node.start ?? 0) >= (body.start ?? 0) && (node.end ?? 0) <= (body.end ?? 0))
}

/** The call that a frame is at: V8 names the place of the called name, of `new`, or of an `await`. */
export function callAt(nodes: readonly Node[], offset: number, name?: string): CallNode | undefined {
  const calls = nodes.filter(isCall)
  const isAt = (call: CallNode): boolean =>
    covers(call.callee, offset) || (call.type === 'NewExpression' && call.start === offset)
  const named = name === undefined ? [] : calls.filter((call) => lastName(call.callee) === name)
  const byName = named.findLast(isAt) ?? (named.length === 1 ? named[0] : undefined)
  const waited = nodes.find((node) => node.type === 'AwaitExpression' && node.start === offset)
  const inner = waited?.type === 'AwaitExpression' ? bare(waited.argument) : undefined
  return (
    byName ??
    (inner !== undefined && isCall(inner) ? inner : undefined) ??
    calls.findLast(isAt) ??
    calls.findLast((call) => covers(call, offset)) ??
    calls[0]
  )
}

function isWaitedFor(tree: SourceTree, call: CallNode, offset: number): boolean {
  const parent = tree.parentOf(call)
  return parent?.type === 'AwaitExpression' && parent.start === offset
}

/** `load` of `this.orders.load`. */
export function lastName(node: Node): string | null {
  const inner = bare(node)
  if (inner.type === 'Identifier') return inner.name
  return isMember(inner) ? propertyOf(inner) : null
}

function throwAt(tree: SourceTree, nodes: readonly Node[], offset: number): t.ThrowStatement | undefined {
  const inside = nodes.filter((node) => covers(node, offset))
  const made = inside.findLast((node) => node.type === 'NewExpression' || node.type === 'ThrowStatement')
  if (made === undefined) return undefined
  if (made.type === 'ThrowStatement') return made
  let around = tree.parentOf(made)
  // `throw Object.assign(new Error(…), { status: 404 })`
  if (around !== undefined && isCall(around)) around = tree.parentOf(around)
  if (around?.type !== 'VariableDeclarator' || around.id.type !== 'Identifier')
    return around?.type === 'ThrowStatement' ? around : undefined
  const name = around.id.name
  const block = tree.parentOf(tree.parentOf(around) ?? around)
  return block?.type !== 'BlockStatement'
    ? undefined
    : block.body.find(
        (one): one is t.ThrowStatement =>
          one.type === 'ThrowStatement' && leavesOf(one.argument, 2).some((leaf) => lastName(leaf) === name),
      )
}

/** What decided that a `throw` was reached, and what its message quotes. */
function guardsOf(tree: SourceTree, thrown: t.ThrowStatement): Node[] {
  const guards: Node[] = []
  let inner: Node = thrown
  for (let node = tree.parentOf(thrown); node !== undefined && !isFunction(node); node = tree.parentOf(node)) {
    if (node.type === 'IfStatement' && node.test !== inner) guards.push(node.test)
    else if (node.type === 'SwitchStatement') guards.push(node.discriminant)
    else if (node.type === 'CatchClause') {
      const tried = tree.parentOf(node)
      if (tried?.type === 'TryStatement') guards.push(...tried.block.body)
    }
    inner = node
  }
  // `if (found) return found` before it decides as well.
  const block = tree.parentOf(thrown)
  if (guards.length === 0 && (block?.type === 'BlockStatement' || block?.type === 'Program')) {
    for (const statement of block.body.slice(0, block.body.indexOf(thrown)))
      if (statement.type === 'IfStatement') guards.push(statement.test)
      else if (statement.type === 'ForOfStatement') guards.push(statement.right)
  }
  return [...guards.flatMap((guard) => leavesOf(guard, 3)), ...leavesOf(thrown.argument, 4)]
}

/** The expression that a message of the language is about. */
function directly(
  tree: SourceTree,
  nodes: readonly Node[],
  offset: number,
  { kind, subject }: Fault,
): (Node | null | undefined)[] {
  switch (kind) {
    case 'nothing': {
      // `Object.keys(order)`: what it is given.
      if (subject === '') return []
      const members = nodes.filter(isMember).filter((node) => propertyOf(node) === subject || node.computed)
      const exact =
        members.find((node) => node.property.start === offset) ??
        members.findLast((node) => covers(node, offset)) ??
        members[0]
      const pattern = nodes
        .filter((node) => node.type === 'ObjectPattern')
        .findLast((node) =>
          node.properties.some((part) => part.type === 'ObjectProperty' && nameOfKey(part.key) === subject),
        )
      if (pattern === undefined || exact?.property.start === offset) return [exact?.object]
      const parent = tree.parentOf(pattern)
      if (parent?.type === 'VariableDeclarator') return [parent.init]
      return [pattern]
    }
    case 'not-callable': {
      const calls = nodes.filter(isCall)
      const said = subject.replace(/^\(intermediate value\)\S*?(?=\.)/, '')
      const exact =
        calls.find((call) => tree.textOf(call.callee) === subject) ?? calls.find((call) => covers(call.callee, offset))
      const near = exact ?? calls.find((call) => tree.textOf(call.callee).endsWith(said))
      return [near?.callee]
    }
    case 'not-iterable': {
      const exact = nodes.findLast((node) => tree.textOf(node) === subject)
      const looped = nodes.flatMap((node) => loopedIn(node))
      const made = exact === undefined ? undefined : tree.parentOf(exact)
      return exact === undefined ? looped : [made !== undefined && isCall(made) && made.callee === exact ? made : exact]
    }
    default:
      return []
  }
}

/** What a loop, a spread or a pattern takes the elements of. */
function loopedIn(node: Node): (Node | null | undefined)[] {
  if (node.type === 'ForOfStatement') return [node.right]
  if (node.type === 'VariableDeclarator') return node.id.type === 'ArrayPattern' ? [node.init] : []
  return node.type === 'SpreadElement' ? [node.argument] : []
}

/** The values that an expression is made of. */
export function leavesOf(node: Node | null | undefined, depth: number): Node[] {
  if (!node) return []
  const inner = bare(node)
  switch (inner.type) {
    case 'Identifier':
      return inner.name === 'undefined' ? [] : [inner]
    case 'MemberExpression':
    case 'OptionalMemberExpression':
    case 'AwaitExpression':
    case 'ObjectExpression':
    case 'TaggedTemplateExpression':
      return [inner]
    case 'NewExpression':
      return inner.arguments.flatMap((argument) => leavesOf(argument, depth - 1))
    case 'CallExpression':
    case 'OptionalCallExpression':
      return depth > 1 && isMember(inner.callee)
        ? [inner, ...inner.arguments.flatMap((argument) => leavesOf(argument, 1))]
        : [inner]
    case 'UnaryExpression':
    case 'SpreadElement':
    case 'ReturnStatement':
      return leavesOf(inner.argument, depth)
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'AssignmentExpression':
      return [...leavesOf(inner.left, depth), ...leavesOf(inner.right, depth)]
    case 'ConditionalExpression':
      return [inner.test, inner.consequent, inner.alternate].flatMap((part) => leavesOf(part, depth))
    case 'TemplateLiteral':
      return inner.expressions.flatMap((part) => leavesOf(part, depth))
    case 'VariableDeclaration':
      return inner.declarations.flatMap(({ init }) => leavesOf(init, depth))
    default:
      return []
  }
}
