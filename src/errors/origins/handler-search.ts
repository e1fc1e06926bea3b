// What can be said of an error without frames of the application: its route's handler, and what that calls.

import type { Route } from '../../framework/routing/route.ts'
import { lastName } from './fault.ts'
import { returnsOf, visitOwn } from './functions.ts'
import type { Lookup } from './lookup.ts'
import type { Place } from './project-sources.ts'
import { returned } from './returns.ts'
import { lookIntoFunction } from './smells.ts'
import type { SourceTree } from './source-tree.ts'
import { isCall, isFunction, lineOf, placeLine, type CallNode, type FunctionNode, type Node } from './syntax.ts'
import type { Step, Trail, TrailOptions } from './trail.ts'

interface Handler {
  readonly tree: SourceTree
  readonly node: FunctionNode
}

const maxFunctions = 40

/**
 * Where a route is defined: known, or the call with its path in a file that the process was started with (`entry`) or that it imports;
 * line 0 of the former if there is none. `null` without a file.
 */
export function findRoute(
  lookup: Lookup,
  route: Pick<Route, 'path' | 'definedAt'> | undefined,
  method: string,
  entry: string,
): { readonly tree: SourceTree; readonly line: number } | null {
  const { sources } = lookup
  if (route?.definedAt) {
    const file = route.definedAt.file.replace(`${sources.files.root}/`, '')
    const tree = file.startsWith('/') ? null : sources.tree(file)
    return tree === null ? null : { tree, line: route.definedAt.line }
  }
  const start = entryTree(lookup, entry)
  if (start === null || route === undefined) return null
  let found = { tree: start, line: 0 }
  let length = 0
  for (const tree of lookup.withImported([start])) {
    for (const call of tree.calls) {
      const [path] = call.arguments
      const written = path === undefined ? '' : textOfPath(tree, path)
      if (path === undefined || written.length <= length || !route.path.endsWith(written)) continue
      if (!addsRoute(lookup, tree, call, method)) continue
      found = { tree, line: lineOf(path) }
      length = written.length
    }
  }
  return found
}

/** Whether a call is `app.get(…, handler)`, or the like for another method. */
export function addsRoute(lookup: Lookup, tree: SourceTree, call: CallNode, method: string): boolean {
  const name = lastName(call.callee)
  const last = call.arguments.findLast(({ type }) => type !== 'ObjectExpression')
  if (last === undefined || (name !== method.toLowerCase() && name !== 'all')) return false
  return isFunction(last) || (last.type !== 'StringLiteral' && lookup.find({ tree, node: last }).length > 0)
}

/** What is written of a path: of a template its end. */
function textOfPath(tree: SourceTree, path: Node): string {
  if (path.type === 'StringLiteral') return path.value
  if (path.type === 'TemplateLiteral') return path.quasis.at(-1)?.value.raw ?? ''
  return path.type === 'RegExpLiteral' ? tree.textOf(path) : ''
}

/** The file that the process was started with; what was built from other files says nothing of their lines. */
export function entryTree({ sources }: Lookup, entry: string): SourceTree | null {
  return sources.files.readText(`${entry}.map`) === null ? sources.tree(entry) : null
}

/** Looks into the handler of the route that is defined at a line, and into the functions that it calls. */
export function lookIntoHandler(
  trail: Trail,
  tree: SourceTree,
  line: number,
  start: Omit<Step, 'node' | 'tree'>,
): void {
  const found = handlersAt(trail, tree, line)
  const [first] = found
  if (first === undefined) return
  const step: Step = { ...start, ...first }
  const named = new Set(found)
  for (const handler of named) {
    trail.define(step, 'Handler', handler.tree, handler.node, [lineOf(handler.node)])
    const { kind, message } = trail.options.fault
    if (kind === 'nothing' || /\bJSON\b/.test(message)) returned(trail, { ...step, ...handler }, handler, [], false)
    else lookIntoFunction(trail, step, handler)
  }
  for (const { tree: where, node } of found) {
    if (!trail.options.hasTime()) return
    if (![...named].some((handler) => handler.node === node)) lookIntoFunction(trail, step, { tree: where, node })
    visitOwn(node, (inner) => {
      if (!isCall(inner)) return
      if (found.length >= maxFunctions) return
      for (const called of trail.options.lookup.functionsOf({ tree: where, node: inner.callee }))
        if (!found.some((known) => known.node === called.node)) found.push(called)
    })
  }
}

/** The functions that a route definition names: its last argument, and what a wrapper around it makes. */
function handlersAt({ options }: Trail, tree: SourceTree, line: number): Handler[] {
  const calls = tree.nodesOnLine(line).filter(isCall)
  // In a chain each call begins where the chain does.
  const named = calls.filter((one) => placeLine(one) === line)
  for (const call of named.length > 0 ? named : calls.filter((one) => lineOf(one) <= line)) {
    for (const argument of call.arguments.toReversed()) {
      const found = handlersOf(options, { tree, node: argument }, 0)
      if (found.length > 0) return found
    }
  }
  return []
}

function handlersOf(options: TrailOptions, place: Place, depth: number): Handler[] {
  const { lookup } = options
  const found: Handler[] = []
  for (const { tree, node } of lookup.find(place)) {
    if (isFunction(node)) found.push({ tree, node })
    if (!isCall(node) || node.type === 'NewExpression' || depth > 4) continue
    // `measured(handler)`: the function that `measured` returns, then the one that it is given.
    const before = found.length
    for (const wrapper of lookup.functionsOf({ tree, node: node.callee }))
      for (const value of returnsOf(wrapper.node))
        found.push(...handlersOf(options, { tree: wrapper.tree, node: value }, depth + 1))
    if (found.length === before) continue
    for (const argument of node.arguments) found.push(...handlersOf(options, { tree, node: argument }, depth + 1))
  }
  return found
}
