// What changes a value after it was set, and values that are kept under names: in maps, and by objects that are given them in one place
// and asked for them in another.

import type { ArrayExpression } from '@babel/types'
import { lastName } from './fault.ts'
import { nameOfFunction } from './functions.ts'
import type { Place } from './project-sources.ts'
import { returned } from './returns.ts'
import type { Binding, SourceTree } from '../errors/source/source-tree.ts'
import { bare, isCall, isFunction, isMember, isText, lineOf, propertyOf } from '../errors/source/syntax.ts'
import type { CallNode, Node } from '../errors/source/syntax.ts'
import type { Step, Trail } from './trail.ts'
import { codeWord, wholeWord } from './words.ts'

/** Assignments to the property by which V8 says that an object contains itself. */
export function noteClosedCircle(trail: Trail): void {
  const [, name] = /property '([\w$]+)' closes the circle/.exec(trail.options.fault.message) ?? []
  if (name === undefined) return
  for (const tree of trail.options.lookup.withImported(wholeWord(name))) {
    for (const { left } of tree.assignments)
      if (isMember(left) && propertyOf(left) === name)
        trail.suspect({ tree }, left, 0.9, `sets \`${name}\`: a property of this name closes the circle`)
  }
}

/** Assignments to a name, and what changes the object that it holds, in every file read so far. Whether the name is given another value. */
export function changes(trail: Trail, step: Step, binding: Binding): boolean {
  const { kind, scope, name } = binding
  let isReplaced = false
  const isShared = scope.type === 'Program'
  for (const tree of isShared && isExported(step.tree, binding) ? [...trail.options.lookup.trees] : [step.tree]) {
    const holds = (node: Node): boolean =>
      node.type === 'Identifier' && isBoundTo(trail, step.tree, binding, tree, node)
    for (const { left, right, operator } of tree.assignments) {
      const isName = holds(left)
      const isProperty = isMember(left) && holds(bare(left.object))
      if ((!isName && !isProperty) || (isProperty && isFixed(trail))) continue
      const isLate = isShared && tree.around(left, isFunction) !== undefined
      if (isLate && operator !== '??=' && operator !== '||=')
        trail.suspect({ tree }, left, isName ? 0.62 : 0.8, `changes \`${name}\`, which all requests share`, step)
      const [key] = step.path
      isReplaced ||= isName
      const isUnset = isName && isLate && binding.value === null && step.isValue && key === undefined
      if (isUnset) noteUnawaitedSetter(trail, { tree, node: left }, name)
      if (isName) trail.next(step, right, { tree, name, isOneOf: binding.value !== null })
      else if (isMember(left) && (key === undefined || propertyOf(left) === key.name || left.computed))
        trail.next(step, right, { tree, name: codeWord(tree, left), path: step.path.slice(1) })
      else continue
      // How a loop goes on is told of what it is made with.
      if (tree.around(left, (one): one is Node => one.type.endsWith('Statement'))?.type !== 'ForStatement')
        trail.suspect({ tree }, left, 0.42, `assigns \`${codeWord(tree, left)}\``, step)
    }
    if (kind === 'class') continue
    for (const call of tree.calls) {
      noteMutation(trail, step, { tree, call, name, isShared, holds })
      if (isShared) noteChangedArgument(trail, step, { tree, call, name, isShared, holds })
    }
  }
  return isReplaced
}

/** The call of an async function that sets a variable without a value, where nobody waits for it. */
function noteUnawaitedSetter(trail: Trail, { tree, node }: Place, name: string): void {
  const setter = tree.around(node, isFunction)
  const called = setter?.async && trail.options.fault.kind === 'nothing' ? nameOfFunction(tree, setter) : null
  const given = setter && called ? trail.options.lookup.callOf(tree, setter) : undefined
  // A callback has no name, and is called by others.
  if (given?.tree.parentOf(given.call)?.type === 'ExpressionStatement' && lastName(given.call.callee) === called)
    trail.suspect(given, given.call, 0.97, `calls \`${called}()\`, which sets \`${name}\`, without await`)
}

function isExported({ exports }: SourceTree, { name, node }: Binding): boolean {
  return exports.values().some((one) => ('local' in one ? one.local === name : 'node' in one && one.node === node))
}

/** Whether an identifier of any file names what a binding declares. */
function isBoundTo(trail: Trail, home: SourceTree, { name, node }: Binding, tree: SourceTree, used: Node): boolean {
  if (used.type !== 'Identifier') return false
  if (tree === home) return used.name === name && tree.bindingOf(name, used)?.node === node
  const source = tree.bindingOf(used.name, used)?.source
  if (source === undefined || source === null) return false
  return trail.options.lookup.exported(tree, source.from, source.name).some((found) => found.node === node)
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

/** Whether the change failed, because its object does not allow it. */
export function isFixed({ options }: Trail): boolean {
  return /not extensible|read only property|^Cannot delete property/.test(options.fault.message)
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
  if (target === undefined || !holds(target) || isFixed(trail)) return
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

/** What was put under the keys of a map; keys that are written differently do not meet. */
export function ofMap(trail: Trail, step: Step, node: CallNode, holder: Node): void {
  const { tree, path } = step
  const [key] = node.arguments
  const maps = trail.options.lookup
    .find({ tree, node: holder })
    .filter(({ node: made }) => made.type === 'NewExpression' && /^(?:Weak)?Map$/.test(lastName(made.callee) ?? ''))
  const isMap = maps.length > 0
  if (isMap && step.isValue && path.length === 0 && trail.options.fault.kind !== 'other')
    trail.suspect(step, node, 0.5, `\`${codeWord(tree, holder)}\` may have nothing under this key`, step)
  trail.part(step, key, 0.9)
  const written = key === undefined ? undefined : trail.options.lookup.written({ tree, node: key })
  const entry = { name: '*', at: { tree, node: holder } }
  trail.next(step, holder, { path: [(isMap ? undefined : written) ?? entry, ...path] })
  for (const made of path.length === 0 ? [] : maps) {
    const [list] = isCall(made.node) ? made.node.arguments : []
    const index = written && list?.type === 'ArrayExpression' ? entryAt(trail, made, list, written.name) : undefined
    const keys = [{ ...entry, index }, { ...entry, index: 1 }, ...path]
    trail.next(step, list, { tree: made.tree, name: codeWord(tree, holder), path: keys })
  }
  const text = tree.textOf(holder)
  for (const call of tree.calls) {
    if (!isMember(call.callee) || tree.textOf(call.callee.object) !== text) continue
    const [other, value] = call.arguments
    const differs = key !== undefined && other !== undefined && areDifferent(trail, tree, key, other)
    const method = propertyOf(call.callee)
    if (method === 'delete' && differs)
      trail.suspect(step, call, 0.8, `deletes from \`${text}\` under a different key from the one that is read`, step)
    if (method !== 'set') continue
    trail.define(step, `Puts values into \`${text}\``, tree, call, [lineOf(call)])
    trail.next(step, value)
    trail.part(step, other, 0.9)
    if (differs) {
      trail.suspect(step, node, 0.74, `reads \`${text}\` under a different key from the one that is filled`, step)
      trail.suspect(step, call, 0.72, `fills \`${text}\` under a different key from the one that is read`, step)
    } else trail.suspect(step, call, 0.42, `puts the value into \`${text}\``, step)
  }
}

/** Where a list of pairs has a key; -1 where that is not written. */
function entryAt({ options }: Trail, { tree }: Place, { elements }: ArrayExpression, key: string): number {
  return elements.findIndex((pair) => {
    const [first] = pair?.type === 'ArrayExpression' ? pair.elements : []
    return first && options.lookup.written({ tree, node: first })?.name === key
  })
}

/** Who gives a value under the same name to the same object: `container.add('tariffs', …)` for `container.get('tariffs')`. */
export function noteGiven(trail: Trail, step: Step, node: CallNode): void {
  for (const { tree, call, key } of callsWithName(trail, step.tree, node)) {
    const [, value] = call.arguments
    if (value === undefined) continue
    trail.suspect({ tree }, call, 0.66, `gives \`${key}\` its value`, step)
    trail.define({ ...step, name: key }, 'Is given its value here', tree, call, [lineOf(call)])
    if (isFunction(value)) returned(trail, step, { tree, node: value }, step.path)
    else trail.next(step, value, { tree })
  }
}

/** Other methods of the same object that are called with the same name first: `bus.emit('paid', order)` for `bus.on('paid', …)`. */
export function callsWithName(
  { options: { lookup } }: Trail,
  tree: SourceTree,
  { callee, arguments: [first] }: CallNode,
): { readonly tree: SourceTree; readonly call: CallNode; readonly key: string }[] {
  if (first?.type !== 'StringLiteral' || !/^[\w$.:/-]*[a-z][\w$.:/-]*$/i.test(first.value) || !isMember(callee))
    return []
  const key = first.value
  const [object] = lookup.find({ tree, node: callee.object })
  return [...lookup.withImported(wholeWord(key))].flatMap((other) =>
    other.calls.flatMap((call) => {
      const [name] = call.arguments
      if (object === undefined || !isMember(call.callee) || lastName(call.callee) === lastName(callee)) return []
      if (name?.type !== 'StringLiteral' || name.value !== key) return []
      const [holder] = lookup.find({ tree: other, node: call.callee.object })
      return holder?.node === object.node ? [{ tree: other, call, key }] : []
    }),
  )
}

/** Whether two keys are sure to be made in different ways: both are written as texts, or one is made of the other. */
function areDifferent({ options }: Trail, tree: SourceTree, one: Node, other: Node): boolean {
  const made = [one, other].map((node) => {
    const [found, ...others] = node.type === 'Identifier' ? options.lookup.find({ tree, node }) : []
    const isKnown = found !== undefined && others.length === 0 && (isText(found.node) || isCall(found.node))
    return isKnown ? found : { tree, node }
  })
  const shapes = made.map(({ node }) => shapeOf(node))
  if (!shapes.includes(null)) return shapes[0] !== shapes[1]
  const [short = '', long = ''] = made
    .map((place) => place.tree.textOf(place.node))
    .toSorted((left, right) => left.length - right.length)
  const word = /(\w+)\W*$/.exec(short)?.[1]
  return word !== undefined && /^[\w.$]+$/.test(short) && /[(`]/.test(long) && new RegExp(`\\b${word}\\b`).test(long)
}

/** `user-$` of `` `user-${id}` ``; `null` for what is no text. */
function shapeOf(node: Node): string | null {
  if (node.type === 'StringLiteral') return node.value
  return node.type === 'TemplateLiteral' ? node.quasis.map(({ value }) => value.raw).join('$') : null
}
