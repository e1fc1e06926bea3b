// What can be said of an error without frames of the application: its route's handler, and what that calls.

import { lastName } from './fault.ts'
import { visitOwn } from './functions.ts'
import { returned } from './returns.ts'
import { lookIntoFunction } from './smells.ts'
import type { SourceTree } from './source-tree.ts'
import { isCall, isFunction, lineOf, type FunctionNode } from './syntax.ts'
import type { Step, Trail } from './trail.ts'

interface Handler {
  readonly tree: SourceTree
  readonly node: FunctionNode
}

const maxFunctions = 40

/** Looks into the handler of the route that is defined at a line, and into the functions that it calls. */
export function lookIntoHandler(
  trail: Trail,
  tree: SourceTree,
  line: number,
  start: Omit<Step, 'node' | 'tree'>,
): void {
  const handler = handlerAt(trail, tree, line)
  if (handler === undefined) return
  const step: Step = { ...start, ...handler }
  trail.define(step, 'Handles the request', handler.tree, handler.node, [lineOf(handler.node)])
  returned(trail, step, handler, [])
  const found: Handler[] = [handler]
  for (const { tree: where, node } of found) {
    if (!trail.options.hasTime()) return
    if (node !== handler.node) lookIntoFunction(trail, step, { tree: where, node })
    visitOwn(node, (inner) => {
      if (!isCall(inner)) return
      noteWait(trail, step, where, inner)
      if (found.length >= maxFunctions) return
      for (const called of trail.options.lookup.functionsOf({ tree: where, node: inner.callee }))
        if (!found.some((known) => known.node === called.node)) found.push(called)
    })
  }
}

/** The function that a route definition names: its last argument that is one. */
function handlerAt({ options }: Trail, tree: SourceTree, line: number): Handler | undefined {
  const calls = tree.nodesOnLine(line).filter(isCall)
  for (const call of calls.filter((one) => lineOf(one.callee) <= line && lineOf(one) <= line)) {
    for (const argument of call.arguments.toReversed()) {
      if (isFunction(argument)) return { tree, node: argument }
      const [named] =
        argument.type === 'Identifier' || argument.type === 'MemberExpression'
          ? options.lookup.functionsOf({ tree, node: argument })
          : []
      if (named !== undefined) return named
    }
  }
  return undefined
}

/** Who aborts: a signal or a limit of time. */
function noteWait(trail: Trail, step: Step, tree: SourceTree, call: Parameters<typeof lastName>[0]): void {
  const { message } = trail.options.fault
  if (!isCall(call) || !/abort|time ?d? ?out/i.test(message)) return
  const name = lastName(call.callee)
  if (name !== 'timeout' && name !== 'abort') return
  trail.suspect(
    { tree },
    call,
    name === 'timeout' ? 0.86 : 0.9,
    name === 'timeout' ? 'sets the limit of time' : 'aborts',
    step,
  )
  trail.define(step, name === 'timeout' ? 'Sets the limit of time' : 'Aborts', tree, tree.parentOf(call) ?? call, [
    lineOf(call),
  ])
}
