// Where a name gets its value: declaration, assignments, import, or the call that passed it.

import { posix } from 'node:path'
import { changes } from './changes.ts'
import { noteData } from './data-files.ts'
import { lastName } from './fault.ts'
import type { FunctionPlace as Handler } from './smells.ts'
import type { Lookup } from './lookup.ts'
import { callsWithName } from './kept-values.ts'
import { noteMissing, placeOf } from './missing-key.ts'
import { isRoute, readOfRequest } from './request-parts.ts'
import type { Binding, SourceTree } from './source-tree.ts'
import {
  bare,
  isFunction,
  isMember,
  lineOf,
  propertyOf,
  type CallNode,
  type FunctionNode,
  type Node,
} from './syntax.ts'
import type { Step, Trail } from './trail.ts'
import { codeWord } from './words.ts'

export function identifier(trail: Trail, step: Step, name: string, node: Node): void {
  const { tree } = step
  if (name === 'undefined') {
    if (step.isValue && trail.options.fault.kind !== 'other') trail.suspect(step, node, 0.6, 'is undefined here', step)
    return
  }
  const binding = tree.bindingOf(name, node)
  if (binding === undefined) return
  if (binding.source !== null) return imported(trail, step, binding)
  const last = binding.path.length - 1
  const keys = binding.path.map((key, index) => {
    return {
      name: key,
      at: { tree, node: binding.node },
      isAwaited: index === last && step.isAwaited,
      isOptional: binding.fallback !== null,
    }
  })
  const inner = { ...step, name, path: [...keys, ...step.path], isAwaited: last < 0 && step.isAwaited }
  if (binding.fallback !== null) trail.next(inner, binding.fallback, { path: step.path, weight: step.weight * 0.8 })
  if (binding.kind === 'parameter' && binding.value !== null && isFunction(binding.value))
    return parameter(trail, inner, binding, binding.value)
  changes(trail, step, binding)
  if (binding.value === null || isFunction(binding.value)) return
  if (binding.kind === 'element')
    return trail.next(inner, binding.value, { path: [{ name: '*', at: { tree, node: binding.node } }, ...inner.path] })
  trail.define(step, definitionNote(binding), tree, tree.parentOf(binding.node) ?? binding.node, [lineOf(binding.node)])
  trail.next(inner, binding.value)
}

function imported(trail: Trail, step: Step, { source, node }: Binding): void {
  const { tree, path } = step
  const { lookup } = trail.options
  if (source === null) return
  const target = lookup.sources.resolve(tree.file.path, source.from)
  if (target === null && source.from.endsWith('.json'))
    noteData(trail, step, node, posix.join(posix.dirname(tree.file.path), source.from))
  if (target === null) return
  const name = source.name === '*' ? path[0]?.name : source.name
  const found = name === undefined ? null : lookup.sources.findExport(target, name)
  if (found === null) return
  const rest = source.name === '*' ? path.slice(1) : path
  if ('missing' in found) {
    noteMissing(trail, step, {
      holder: { tree: found.missing, node: found.missing.program },
      names: [...found.missing.exports.keys()],
      key: source.name === '*' && path[0] !== undefined ? path[0] : { name: name ?? '', at: { tree, node } },
    })
    return
  }
  trail.push({ ...step, ...found, path: rest, depth: step.depth + 1 })
}

function parameter(trail: Trail, step: Step, binding: Binding, owner: FunctionNode): void {
  const { tree, path } = step
  const { lookup } = trail.options
  const given = lookup.callOf(tree, owner)
  if (given === undefined) {
    if (requestName.test(binding.name) || path[0]?.name === 'request') readOfRequest(trail, step, path)
    return
  }
  const { call } = given
  const usedAt = `${tree.file.path}:${lineOf(binding.node)}`
  const argument = call.arguments[binding.index]
  // A callback gets its values from what it is passed to.
  const position = call.callee === owner ? -1 : callbackAt(given.tree, call, owner, lookup)
  if (position >= 0) {
    if (isRoute(call)) readOfRequest(trail, step, path)
    const below = { ...step, tree: given.tree, depth: step.depth + 1, usedAt }
    for (const wrapper of lookup.functionsOf({ tree: given.tree, node: call.callee }))
      for (const inner of callsOfParameter(wrapper, position))
        trail.push({ ...below, tree: wrapper.tree, node: inner.arguments[binding.index] ?? inner })
    for (const found of callsWithName(trail, given.tree, call)) {
      const passed = found.call.arguments[binding.index + 1]
      if (passed === undefined) continue
      const why = `passes \`${codeWord(found.tree, passed)}\` to \`${found.key}\``
      trail.suspect(found, passed, 0.5, why, step)
      trail.next(step, passed, { tree: found.tree, usedAt, name: binding.name })
    }
    // What a library gives to its callbacks is not known, unless they see a list or a promise.
    const from = isMember(call.callee) ? call.callee.object : null
    if (from === null || !perElement.has(lastName(call.callee) ?? '')) return
    const star = { name: '*', at: { tree, node: binding.node } }
    trail.push({
      ...below,
      node: from,
      path: isThen(call) ? path : [star, ...path],
      isAwaited: step.isAwaited || isThen(call),
    })
    return
  }
  const isIt = lookup.functionsOf({ tree: given.tree, node: call.callee }).some(({ node }) => node === owner)
  if (argument === undefined || argument.type === 'ArgumentPlaceholder') {
    const declared = owner.params[binding.index]
    const isOptional =
      declared === undefined ||
      declared.type === 'RestElement' ||
      declared.type === 'AssignmentPattern' ||
      ('optional' in declared && declared.optional === true)
    const why = `passes ${call.arguments.length} of ${owner.params.length} arguments: \`${binding.name}\` is missing`
    if (!isOptional && isIt && call.arguments.every(({ type }) => type !== 'SpreadElement'))
      trail.suspect(given, call, 0.9, why, step)
    return
  }
  const takesAll = [...owner.params, ...call.arguments].some(({ type }) => type.endsWith('Element'))
  const surplus = `passes ${call.arguments.length} arguments where ${owner.params.length} are taken`
  if (isIt && call.arguments.length > owner.params.length && !takesAll) trail.suspect(given, call, 0.85, surplus, step)
  if (isIt) order(trail, step, given.tree, call, owner)
  const shown = codeWord(given.tree, argument)
  trail.define({ ...step, usedAt, name: binding.name }, `Passed as \`${shown}\``, given.tree, call, [lineOf(argument)])
  // A value that is only passed on is made elsewhere.
  const passed = bare(argument)
  const isMade =
    !isMember(passed) &&
    passed.type !== 'Identifier' &&
    (passed.type !== 'TemplateLiteral' || passed.expressions.length === 0)
  const score = isMade || binding.path.length > 0 ? 0.38 : 0.28
  if (shown !== '…' && (lastName(argument) !== binding.name || binding.path.length > 0))
    trail.suspect(given, argument, score, `passes \`${shown}\` as \`${binding.name}\``, step)
  const passedAt = placeOf({ tree: given.tree, node: argument })
  trail.next(step, argument, { tree: given.tree, name: binding.name, usedAt: passedAt })
}

/** Of a handler that nobody is seen to call. */
const requestName = /^(?:req|request|ctx|context|c|exchange)$/

/** Arguments that have each other's names. */
function order(trail: Trail, step: Step, tree: SourceTree, call: CallNode, owner: FunctionNode): void {
  const names = owner.params.map((parameter) => (parameter.type === 'Identifier' ? parameter.name.toLowerCase() : ''))
  const given = call.arguments.map((argument) => codeWord(tree, argument).split('.').at(-1)?.toLowerCase() ?? '')
  for (const [index, name] of given.entries()) {
    const other = names.indexOf(name)
    const why = `passes \`${name}\` where \`${names[index]}\` is expected: the arguments are swapped`
    if (name !== '' && other >= 0 && other !== index && given[other] !== name)
      trail.suspect({ tree }, call.arguments[index] ?? call, 0.96, why, step)
  }
}

/** A pattern that could not be filled. */
export function unfilledPattern(trail: Trail, step: Step, node: Node): void {
  const { tree } = step
  const owner = tree.around(node, isFunction)
  const index =
    owner?.params.findIndex(
      (parameter) => parameter === node || (parameter.type === 'AssignmentPattern' && parameter.left === node),
    ) ?? -1
  if (owner === undefined || index < 0) return
  parameter(
    trail,
    step,
    {
      kind: 'parameter',
      name: 'its argument',
      node,
      value: owner,
      path: [],
      fallback: null,
      index,
      source: null,
      scope: owner,
    },
    owner,
  )
}

/** Position of a function among the arguments of a call; -1 if it is not there. */
function callbackAt(tree: SourceTree, call: CallNode, owner: FunctionNode, lookup: Lookup): number {
  return call.arguments.findIndex(
    (argument) =>
      argument === owner ||
      (argument.type === 'Identifier' &&
        lookup.functionsOf({ tree, node: argument }).some(({ node }) => node === owner)),
  )
}

/** Methods whose callback gets an element, or what a promise gives. */
const perElement: ReadonlySet<string> = new Set(
  'map flatMap filter forEach some every find findLast findIndex reduce sort toSorted then finally'.split(' '),
)

/** Where a function calls what it is given at a position: in its own lines or in functions inside it. */
function callsOfParameter({ tree, node }: Handler, position: number): CallNode[] {
  const parameter = node.params[position]
  if (parameter?.type !== 'Identifier') return []
  return tree.calls.filter(({ callee }) => {
    const inner = bare(callee)
    return inner.type === 'Identifier' && tree.bindingOf(inner.name, inner)?.node === parameter
  })
}

/** Whether a callback gets what a promise gives. */
function isThen({ callee }: CallNode): boolean {
  return isMember(callee) && ['then', 'finally'].includes(propertyOf(callee) ?? '')
}

function definitionNote({ kind, fallback }: Binding): string {
  if (kind === 'element') return 'Is each element in turn'
  return fallback === null ? 'Set here' : 'Set here, with a default'
}
