// Where a name gets its value: declaration, assignments, import, or the call that passed it.

import type { Lookup } from './lookup.ts'
import { noteMissing } from './missing-key.ts'
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
import type { Key, Step, Trail } from './trail.ts'
import { codeWord } from './words.ts'

export function identifier(trail: Trail, step: Step, name: string, node: Node): void {
  const { tree } = step
  if (name === 'undefined') return trail.suspect(step, node, 0.6, 'the value is undefined here', step)
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

/** Assignments to a name, and what changes the object that it holds, in every file read so far. */
function changes(trail: Trail, step: Step, binding: Binding): void {
  const { kind, scope, name } = binding
  const isShared = scope.type === 'Program'
  for (const tree of isShared ? [...trail.options.lookup.trees] : [step.tree]) {
    const holds = (node: Node): boolean =>
      node.type === 'Identifier' && isBoundTo(trail, step.tree, binding, tree, node)
    for (const { left, right, operator } of tree.assignments) {
      const isName = holds(left)
      const isProperty = isMember(left) && holds(bare(left.object))
      if (!isName && !isProperty) continue
      const isLate = isShared && tree.around(left, isFunction) !== undefined
      if (isLate && operator !== '??=' && operator !== '||=')
        trail.suspect({ tree }, left, isName ? 0.62 : 0.8, `changes \`${name}\`, which all requests share`, step)
      const [key] = step.path
      if (isName) trail.push({ ...step, tree, node: right, name, depth: step.depth + 1 })
      else if (isMember(left) && (key === undefined || propertyOf(left) === key.name || left.computed))
        trail.push({
          ...step,
          tree,
          node: right,
          name: codeWord(tree, left),
          path: step.path.slice(1),
          depth: step.depth + 1,
        })
      else continue
      trail.suspect({ tree }, left, 0.42, `assigns \`${codeWord(tree, left)}\``, step)
    }
    if (kind === 'class') continue
    for (const call of tree.calls) {
      noteMutation(trail, step, { tree, call, name, isShared, holds })
      if (isShared) noteChangedArgument(trail, step, { tree, call, name, isShared, holds })
    }
  }
}

/** Whether an identifier of any file names what a binding declares. */
function isBoundTo(trail: Trail, home: SourceTree, { name, node }: Binding, tree: SourceTree, used: Node): boolean {
  if (used.type !== 'Identifier') return false
  if (tree === home) return used.name === name && tree.bindingOf(name, used)?.node === node
  const source = tree.bindingOf(used.name, used)?.source
  if (source === undefined || source === null) return false
  return trail.options.lookup.exported(tree, source.from, source.name).some((found) => found.node === node)
}

function imported(trail: Trail, step: Step, { source, node }: Binding): void {
  const { tree, path } = step
  const { lookup } = trail.options
  if (source === null) return
  const target = lookup.sources.resolve(tree.file.path, source.from)
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
  const { lookup, route } = trail.options
  const given = lookup.callOf(tree, owner)
  if (given === undefined) {
    routeParameter(trail, step, path)
    return
  }
  const { call } = given
  const usedAt = `${tree.file.path}:${lineOf(binding.node)}`
  const argument = call.arguments[binding.index]
  // A callback gets its values from what it is passed to.
  if (call.callee !== owner && isCallback(given.tree, call, owner, lookup)) {
    if (route !== null && path.some(({ name }) => name === 'params')) routeParameter(trail, step, path)
    const from = isMember(call.callee) ? call.callee.object : null
    const star = { name: '*', at: { tree, node: binding.node } }
    trail.push({
      ...step,
      tree: given.tree,
      node: from ?? call,
      path: from === null || isThen(call) ? path : [star, ...path],
      isAwaited: step.isAwaited || isThen(call),
      depth: step.depth + 1,
      usedAt,
    })
    return
  }
  if (argument === undefined || argument.type === 'ArgumentPlaceholder') {
    if (binding.fallback === null && call.arguments.every(({ type }) => type !== 'SpreadElement'))
      trail.suspect(
        given,
        call,
        0.9,
        `passes ${call.arguments.length} of ${owner.params.length} arguments: \`${binding.name}\` is missing`,
        step,
      )
    return
  }
  const takesAll = owner.params.some(({ type }) => type === 'RestElement')
  if (call.arguments.length > owner.params.length && !takesAll)
    trail.suspect(
      given,
      call,
      0.85,
      `passes ${call.arguments.length} arguments where ${owner.params.length} are taken`,
      step,
    )
  order(trail, step, given.tree, call, owner)
  const shown = codeWord(given.tree, argument)
  trail.define({ ...step, usedAt, name: binding.name }, `Is the argument \`${shown}\` of the call`, given.tree, call, [
    lineOf(argument),
  ])
  trail.suspect(given, argument, 0.46, `passes \`${shown}\` as \`${binding.name}\``, step)
  trail.push({
    ...step,
    tree: given.tree,
    node: argument,
    depth: step.depth + 1,
    name: binding.name,
    usedAt: `${given.tree.file.path}:${lineOf(argument)}`,
  })
}

/** Arguments that have each other's names. */
function order(trail: Trail, step: Step, tree: SourceTree, call: CallNode, owner: FunctionNode): void {
  const names = owner.params.map((parameter) => (parameter.type === 'Identifier' ? parameter.name.toLowerCase() : ''))
  const given = call.arguments.map((argument) => codeWord(tree, argument).split('.').at(-1)?.toLowerCase() ?? '')
  for (const [index, name] of given.entries()) {
    const other = names.indexOf(name)
    if (name !== '' && other >= 0 && other !== index && given[other] !== name)
      trail.suspect(
        { tree },
        call.arguments[index] ?? call,
        0.96,
        `passes \`${name}\` where \`${names[index]}\` is expected: the arguments are swapped`,
        step,
      )
  }
}

function routeParameter(trail: Trail, step: Step, path: readonly Key[]): void {
  const at = path.findIndex(({ name }) => name === 'params')
  const key = at < 0 ? undefined : path[at + 1]
  const { route } = trail.options
  if (key === undefined || route === null) return
  const names = [...route.matchAll(/\{[!*]?(\w+)/g)].map(([, name]) => name ?? '')
  if (names.includes(key.name)) return
  const has = names.length === 0 ? 'has no parameters' : `has {${names.join('}, {')}}`
  trail.suspect(key.at, key.at.node, 0.97, `reads the parameter \`${key.name}\`, but the route ${route} ${has}`)
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

function isCallback(tree: SourceTree, call: CallNode, owner: FunctionNode, lookup: Lookup): boolean {
  return call.arguments.some(
    (argument) =>
      argument === owner ||
      (argument.type === 'Identifier' &&
        lookup.functionsOf({ tree, node: argument }).some(({ node }) => node === owner)),
  )
}

/** Whether a callback gets what a promise gives. */
function isThen({ callee }: CallNode): boolean {
  return isMember(callee) && ['then', 'finally'].includes(propertyOf(callee) ?? '')
}

function definitionNote({ kind, fallback }: Binding): string {
  if (kind === 'element') return 'Is each element in turn'
  return fallback === null ? 'Is set here' : 'Is set here, with a default'
}

/** Methods that change the array or object that they are called on. */
const changing: ReadonlySet<string> = new Set(['sort', 'reverse', 'splice', 'pop', 'shift', 'push', 'unshift', 'fill'])

interface Mutation {
  readonly tree: SourceTree
  readonly call: CallNode
  readonly name: string
  readonly isShared: boolean
  readonly holds: (node: Node) => boolean
}

/** A function of the application's own that changes an object which it is given. */
function noteChangedArgument(trail: Trail, step: Step, { tree, call, name, holds }: Mutation): void {
  const index = call.arguments.findIndex(holds)
  if (index < 0) return
  for (const called of trail.options.lookup.functionsOf({ tree, node: call.callee })) {
    const parameter = called.node.params[index]
    if (parameter?.type !== 'Identifier') continue
    for (const { left } of called.tree.assignments) {
      const holder = isMember(left) ? bare(left.object) : null
      if (holder?.type !== 'Identifier' || called.tree.bindingOf(holder.name, left)?.node !== parameter) continue
      trail.suspect(called, left, 0.8, `changes \`${name}\`, which it is given`, step)
      trail.define(step, `Is changed here`, called.tree, called.tree.parentOf(left) ?? left, [lineOf(left)])
    }
  }
}

/** A call that changes what a name holds: `list.sort()`, `Object.assign(defaults, …)`. */
function noteMutation(trail: Trail, step: Step, { tree, call, name, isShared, holds }: Mutation): void {
  const { callee } = call
  if (!isMember(callee) || call.type === 'NewExpression') return
  const method = propertyOf(callee) ?? ''
  const holder = bare(callee.object)
  const [first] = call.arguments
  const isAssign = method === 'assign' && holder.type === 'Identifier' && holder.name === 'Object'
  const target = isAssign ? first : changing.has(method) || method === 'set' ? holder : undefined
  if (target === undefined || !holds(target)) return
  const isLate = tree.around(call, isFunction) !== undefined
  const adds = method === 'push' || method === 'unshift' || method === 'set'
  if (adds || isAssign) {
    const path = step.path.slice(isAssign ? 0 : 1)
    for (const node of call.arguments.slice(method === 'set' || isAssign ? 1 : 0))
      trail.push({ ...step, tree, node, path, weight: step.weight * 0.8, depth: step.depth + 1 })
  }
  if (isShared && isLate && method !== 'set')
    trail.suspect({ tree }, call, adds ? 0.55 : 0.82, `changes \`${name}\`, which all requests share`, step)
  else if (!adds) trail.suspect({ tree }, call, 0.55, `changes \`${name}\` in place by ${method}()`, step)
}
