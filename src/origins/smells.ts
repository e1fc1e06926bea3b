// Faults that show in a function's own lines, whatever the values are: state that is shared, promises that are lost, limits off by one.

import type * as t from '@babel/types'
import { lastName, leavesOf } from './fault.ts'
import { isInside, returnsOf, returnStatements, visitOwn } from './functions.ts'
import { lookAtEmitter, lookAtLimit } from './outside.ts'
import type { SourceTree } from '../errors/source/source-tree.ts'
import { bare, isCall, isFunction, isMember, lineOf, moduleOf, propertyOf, visit } from '../errors/source/syntax.ts'
import type { CallNode, FunctionNode, Node } from '../errors/source/syntax.ts'
import type { Step, Trail } from './trail.ts'
import { saysPromise } from './lookup.ts'

export interface FunctionPlace {
  readonly tree: SourceTree
  readonly node: FunctionNode
}

/** Looks at a function that the value went through; of one that failed in a line, at what ran before. */
export function lookIntoFunction(trail: Trail, step: Step, { tree, node: owner }: FunctionPlace, line?: number): void {
  const say = (node: Node, score: number, why: string): void => {
    if (trail.options.evidence?.neverRan(tree, node) !== true) trail.suspect({ tree }, node, score, why, step)
  }
  const { failedAt, fault } = trail.options
  const lastLine = line === undefined ? Infinity : lastLineRun(owner, line)
  visitOwn(owner, (node) => {
    const { key, left = [] } = (isCall(node) && lastName(node.callee) === 'set' && keptUnder(tree, node)) || {}
    if (key && left[0] !== undefined) say(key, 0.84, `makes the key without \`${left[0]}\``)
    if (lineOf(node) > lastLine) return
    if (isCall(node)) {
      const [first] = node.arguments
      const isFailing =
        first !== undefined && first.type.endsWith('Literal') && failing.test(lastName(node.callee) ?? '')
      if (isFailing && failedAt === '' && throwsMessage(first, fault.message))
        say(first, 0.97, `passes this text to ${lastName(node.callee) ?? ''}() as the error`)
      lookAtLimit(trail, tree, node, step)
      lookAtEmitter(trail, tree, node, step)
      return lookAtCall(trail, tree, node, say)
    }
    if (node.type === 'ForStatement') lookAtLoop(tree, node, say)
    if (node.type === 'IfStatement') {
      const { test } = node
      if (test.type === 'AssignmentExpression') say(node, 0.96, 'assigns in its condition instead of comparing')
      const asked = test.type === 'UnaryExpression' && test.operator === '!' ? test.argument : test
      if (isCall(asked) && isAsync(trail, tree, asked.callee))
        say(asked, 0.93, 'asks a promise, which always counts as true: an await is missing')
    }
    if (
      node.type === 'LogicalExpression' &&
      node.operator === '||' &&
      (isLength(node.right) || (node.right.type === 'NumericLiteral' && node.right.value !== 0)) &&
      canBeZero(trail, tree, node.left) &&
      trail.options.evidence?.neverWas(tree, node.left, '0') !== true
    )
      say(node, 0.6, 'takes 0 for a missing value: `||` instead of `??`')
    for (const { consequent } of node.type === 'SwitchStatement' ? node.cases.slice(0, -1) : []) {
      const last = consequent.at(-1)
      if (last && /^(?:ExpressionStatement|VariableDeclaration)$/.test(last.type))
        say(last, 0.86, 'runs on into the next case: a break or return is missing')
    }
    if (node.type === 'CatchClause' && node.body.body.length === 0) say(node, 0.6, 'swallows the error')
    if (node.type === 'ThrowStatement' && failedAt === '' && throwsMessage(node.argument, fault.message))
      say(node, 0.97, 'throws')
    if (node.type === 'MemberExpression' && node.computed && isLength(node.property))
      say(node, 0.93, 'reads past the end: the last index is length - 1')
  })
}

/** The last line of a function that can have run when one failed: of its statement, or of a loop around it. */
function lastLineRun(owner: FunctionNode, failed: number): number {
  let last = failed
  visitOwn(owner, (node) => {
    const end = node.loc?.end.line ?? 0
    if (/^(?:(?:For|While|DoWhile|Expression|Return|Throw)\w*Statement|VariableDeclaration)$/.test(node.type))
      if (lineOf(node) <= failed && end >= failed) last = Math.max(last, end)
  })
  return last
}

/** What is called with an error: by a handler, in a promise, by a callback. */
const failing = /^(?:next|reject|done|callback|cb)$/

/** Whether the text of a thrown literal is the message. */
function throwsMessage(thrown: Node, message: string): boolean {
  let isIt = false
  visit(thrown, (node) => {
    const text = node.type === 'StringLiteral' ? node.value : node.type === 'TemplateElement' ? node.value.raw : ''
    if (text.trim().length > 2 && message.includes(text.trim())) isIt = true
    return true
  })
  return isIt
}

/** Whether the source gives a value as 0 somewhere: as a default or an argument. */
function canBeZero(trail: Trail, tree: SourceTree, node: Node): boolean {
  const inner = bare(node)
  const fallback = inner.type === 'Identifier' ? tree.bindingOf(inner.name, inner)?.fallback : null
  const values = [...(fallback ? [fallback] : []), ...trail.options.lookup.find({ tree, node }).map((one) => one.node)]
  return values.some((one) => one.type === 'NumericLiteral' && one.value === 0)
}

type Say = (node: Node, score: number, why: string) => void

function isLength(node: Node): boolean {
  return isMember(node) && propertyOf(node) === 'length'
}

function lookAtLoop(tree: SourceTree, node: t.ForStatement, say: Say): void {
  const { test, init } = node
  if (test?.type === 'BinaryExpression' && test.operator === '<=' && isLength(test.right))
    say(node, 0.95, 'runs one past the end: `<=` should be `<`')
  if (init?.type !== 'VariableDeclaration' || init.kind !== 'var') return
  const names = new Set(init.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : [])))
  const isClosed = tree.calls.some((call) => call.arguments.some((one) => isFunction(one) && isInside(node, one)))
  if (names.size > 0 && isClosed) say(node, 0.9, 'declares its counter with var: every callback sees its last value')
}

function lookAtCall(trail: Trail, tree: SourceTree, call: CallNode, say: Say): void {
  const { callee } = call
  const method = isMember(callee) ? propertyOf(callee) : null
  const parent = tree.parentOf(call)
  const [first] = call.arguments
  const isCallbackAsync = first !== undefined && isAsync(trail, tree, first)
  if (method === 'forEach' && isCallbackAsync) say(call, 0.95, 'does not wait for the async callback of forEach')
  const given = method === 'forEach' && first && isFunction(first) ? returnStatements(first) : []
  if (given[0] && given.some(({ argument }) => argument))
    say(given[0], 0.85, 'returns from the callback of forEach, not from the function')
  const owner = tree.around(call, isFunction)
  const name = parent?.type === 'VariableDeclarator' && parent.id.type === 'Identifier' ? parent.id.name : ''
  // Who gets the list may wait for it.
  const isHandedOn =
    (parent !== undefined && isCall(parent)) ||
    isAwaited(tree, call) ||
    (owner !== undefined && returnStatements(owner).some(({ argument }) => argument && lastName(argument) === name)) ||
    tree.calls.some((one) => tree.textOf(one.callee).startsWith('Promise.') && tree.around(one, isFunction) === owner)
  if ((method === 'map' || method === 'flatMap') && isCallbackAsync && !isHandedOn)
    say(call, 0.8, 'makes promises that nobody waits for: Promise.all is missing')
  if ((method === 'filter' || method === 'some' || method === 'every' || method === 'find') && isCallbackAsync)
    say(call, 0.95, `gives ${method}() a promise, which always counts as true`)
  if (method === 'map' && first?.type === 'Identifier' && first.name === 'parseInt')
    say(call, 0.95, 'gives parseInt the index as its radix')
  if ((method === 'test' || method === 'exec') && isMember(callee)) lookAtPattern(trail, tree, callee.object, say)
  if (method === 'getYear') say(call, 0.5, 'getYear() counts from 1900')
  if (parent?.type === 'ExpressionStatement' && moduleOf(call) === null && isPromiseCall(trail, tree, call))
    say(call, 0.72, `calls \`${lastName(callee) ?? 'it'}()\` without await`)
  for (const argument of call.arguments) lookAtUnbound(trail, tree, argument, say)
}

/** The key under which a call keeps a value, and the parameters that have a part in the value only. */
export function keptUnder(tree: SourceTree, call: CallNode): { key: Node; left: readonly string[] } | undefined {
  const parameters = tree.around(call, isFunction)?.params.flatMap((one) => (one.type === 'Identifier' ? one.name : []))
  const [given, kept] = call.arguments
  if (parameters === undefined || given === undefined || kept === undefined) return undefined
  const value = given.type === 'Identifier' ? tree.bindingOf(given.name, given)?.value : null
  const key = value && !isFunction(value) ? value : given
  const [inKey, inValue] = [namesIn(tree, key, true), namesIn(tree, kept, false)]
  const left = parameters.filter((name) => !inKey.has(name) && inValue.has(name))
  return parameters.some((name) => inKey.has(name)) ? { key, left } : undefined
}

/** Names that have a part in a value, by way of its constants too; without `withTools` not those whose methods make it. */
function namesIn(tree: SourceTree, root: Node, withTools: boolean, names = new Set<string>()): Set<string> {
  visit(root, (node) => {
    if (node.type !== 'Identifier' || names.has(node.name)) return true
    const parent = tree.parentOf(node)
    const isTool =
      isCalled(parent, node) ||
      (parent !== undefined && isMember(parent) && parent.object === node && isCalled(tree.parentOf(parent), parent))
    if (isTool && !withTools) return true
    names.add(node.name)
    const binding = tree.bindingOf(node.name, node)
    if (binding?.kind === 'variable' && binding.value !== null) namesIn(tree, binding.value, withTools, names)
    return true
  })
  return names
}

function isCalled(call: Node | undefined, node: Node): boolean {
  return call !== undefined && isCall(call) && call.callee === node
}

/** A regular expression with the flag `g` that is kept between calls continues where it stopped. */
function lookAtPattern(trail: Trail, tree: SourceTree, pattern: Node, say: Say): void {
  for (const { tree: where, node } of trail.options.lookup.find({ tree, node: pattern })) {
    if (node.type !== 'RegExpLiteral' || !/[gy]/.test(node.flags) || node === bare(pattern)) continue
    if (where.around(node, isFunction) === undefined)
      trail.suspect({ tree: where }, node, 0.93, 'keeps lastIndex between calls because of its flag g')
    say(pattern, 0.6, 'asks a pattern with the flag g, which remembers where it stopped')
  }
}

/** `run(store.find)`: the method loses its object. */
function lookAtUnbound(trail: Trail, tree: SourceTree, argument: Node, say: Say): void {
  if (!isMember(argument)) return
  for (const { node, tree: where } of trail.options.lookup.functionsOf({ tree, node: argument })) {
    if (node.type !== 'ClassMethod' && node.type !== 'ObjectMethod') continue
    let usesThis = false
    visitOwn(node, (inner) => {
      if (inner.type === 'ThisExpression') usesThis = true
    })
    if (usesThis && where.file.path !== '')
      say(argument, 0.96, `passes \`${tree.textOf(argument).slice(0, 60)}\` without its object: \`this\` is lost`)
  }
}

function isAsync({ options }: Trail, tree: SourceTree, node: Node): boolean {
  return options.lookup.functionsOf({ tree, node }).some((one) => one.node.async && !one.node.generator)
}

/** Whether somebody waits for a value where it is made, or passes it on. */
export function isAwaited(tree: SourceTree, node: Node): boolean {
  const around = tree.parentOf(node)
  // `Promise.all([load(1), load(2)])`
  const inner = around?.type === 'ArrayExpression' ? around : node
  const parent = tree.parentOf(inner)
  if (parent === undefined) return false
  if (parent.type === 'AwaitExpression' || parent.type === 'ReturnStatement' || parent.type === 'YieldExpression')
    return true
  if (parent.type === 'ArrowFunctionExpression') return parent.body === inner
  if (isCall(parent) && parent.callee !== inner)
    return /^(?:all|allSettled|any|race|resolve)$/.test(lastName(parent.callee) ?? '')
  if (isMember(parent)) return ['then', 'catch', 'finally'].includes(propertyOf(parent) ?? '')
  return false
}

/** Whether a call gives a promise. */
export function isPromiseCall(trail: Pick<Trail, 'options'>, tree: SourceTree, call: Node, depth = 0): boolean {
  if (!isCall(call) || depth > 3) return false
  const { callee } = call
  const name = lastName(callee)
  if (call.type === 'NewExpression') return name === 'Promise'
  const called = trail.options.lookup.find({ tree, node: callee })
  if (called.some(({ node }) => saysPromise(node))) return true
  const found = called.flatMap(({ tree: where, node }) => (isFunction(node) ? [{ tree: where, node }] : []))
  if (found.length > 0) return found.some((place) => givesPromise(trail, place, depth + 1))
  if (name === 'fetch') return true
  if (!isMember(callee)) return false
  if (lastName(callee.object) === 'Promise') return name !== 'withResolvers'
  const [first] = call.arguments
  if (name === 'then') return first !== undefined && isFunction(first)
  return (name === 'json' || name === 'text' || name === 'arrayBuffer') && first === undefined
}

export function givesPromise(trail: Pick<Trail, 'options'>, { tree, node }: FunctionPlace, depth = 0): boolean {
  if (node.generator || node.async) return !node.generator
  return returnsOf(node).some((value) =>
    [value, ...leavesOf(value, 1)].some((leaf) => isPromiseCall(trail, tree, bare(leaf), depth)),
  )
}
