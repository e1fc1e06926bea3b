// What changes a value after it was set: assignments to its name, and calls that change the object that it holds.

import type { Binding, SourceTree } from './source-tree.ts'
import { bare, isFunction, isMember, lineOf, propertyOf, type CallNode, type Node } from './syntax.ts'
import type { Step, Trail } from './trail.ts'
import { codeWord } from './words.ts'

/** Assignments to a name, and what changes the object that it holds, in every file read so far. Whether the name is given another value. */
export function changes(trail: Trail, step: Step, binding: Binding): boolean {
  const { kind, scope, name } = binding
  let isReplaced = false
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
      isReplaced ||= isName
      if (isName)
        trail.push({ ...step, tree, node: right, name, depth: step.depth + 1, isOneOf: binding.value !== null })
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
