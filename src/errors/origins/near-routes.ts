// The routes that nearly matched a request, and the constants that their requirements come from.

import type * as t from '@babel/types'
import { resolve } from 'node:path'
import type { Suggestion } from '../../framework/routing/suggest-routes.ts'
import { lastName, leavesOf } from './fault.ts'
import { addsRoute, entryTree, findRoute } from './handler-search.ts'
import { isCall, isFunction, lineOf, nameOfKey, type CallNode, type Node } from './syntax.ts'
import type { Step, Trail } from './trail.ts'
import { codeWord } from './words.ts'

/** Notes the definition of each near route, what its path is made of, and the requirement that the request did not meet. */
export function lookAtNearRoutes(
  trail: Trail,
  near: readonly Suggestion[],
  entry: string,
  step: Omit<Step, 'tree' | 'node'>,
): void {
  const { lookup } = trail.options
  const start = entryTree(lookup, entry)
  if (start !== null) lookup.trees.add(start)
  if (trail.options.fault.message.startsWith('No route')) noteUnadded(trail, near, step)
  for (const [index, { definedAt, pattern, kind, reason, method }] of near.slice(0, 2).entries()) {
    const [, file = '', number = ''] = /^(.+):(\d+)$/.exec(definedAt ?? '') ?? []
    // The place is relative to the working directory.
    const known = { file: resolve(file), line: Number(number) }
    const found = findRoute(lookup, { path: pattern, definedAt: definedAt === null ? null : known }, method, entry)
    if (found === null || found.line === 0) continue
    const { tree, line } = found
    lookup.trees.add(tree)
    const call = tree.nodesOnLine(line).find((node): node is CallNode => isCall(node) && node.arguments.length > 1)
    const score = (kind === 'typo' || kind === 'prefix' ? 0.6 : 0.88) * 0.8 ** index
    trail.suspect({ tree }, line, score, `defines ${pattern}: ${lowerFirst(reason)}`)
    if (call === undefined) continue
    const usedAt = `${tree.file.path}:${line}`
    trail.define({ ...step, usedAt, tree, node: call, name: pattern }, reason, tree, call, [line])
    for (const part of partsOfPath(call))
      trail.push({ ...step, usedAt, tree, node: part, name: pattern, isValue: false })
    if (kind === 'prefix' || kind === 'doubled-slash')
      notePrefixes(trail, pattern, { ...step, usedAt, tree, node: call })
    if (kind !== 'requirement') continue
    for (const [name, value] of requirementsOf(call)) {
      if (!reason.includes(`"${name}"`)) continue
      for (const found of lookup.find({ tree, node: value })) {
        if (found.node.type !== 'StringLiteral') continue
        const why = `requires ${found.node.value.slice(0, 80)} for ${name}`
        trail.suspect(found, found.node, 0.95, why)
        const declared = found.tree.parentOf(found.node) ?? found.node
        trail.define({ ...step, usedAt, tree, node: call, name }, 'Is the requirement', found.tree, declared, [
          lineOf(found.node),
        ])
      }
    }
  }
}

/** What makes the path of a route, and its options. Its handlers do not decide whether it matches. */
function partsOfPath({ arguments: given }: CallNode): readonly Node[] {
  const [first, second] = given
  const isName = first?.type === 'StringLiteral' && !first.value.startsWith('/')
  const path = isName ? second : first
  return given.filter((one) => (one === path && one.type !== 'StringLiteral') || one.type === 'ObjectExpression')
}

/** Calls that put a prefix before routes: `app.use('/api', router)`, `group({ path: '/api' }, …)`. */
const mounting: ReadonlySet<string> = new Set('use mount group route register basePath'.split(' '))

function notePrefixes(trail: Trail, pattern: string, step: Step): void {
  const { lookup } = trail.options
  for (const tree of lookup.withImported()) {
    for (const call of tree.calls.filter(({ callee }) => mounting.has(lastName(callee) ?? ''))) {
      const given = call.arguments.flatMap((one): Node[] => (one.type === 'ObjectExpression' ? one.properties : [one]))
      for (const one of given) {
        const isPath = one.type === 'ObjectProperty' && /^(?:path|prefix)$/.test(nameOfKey(one.key) ?? '')
        const value = isPath ? one.value : one
        const prefix = isFunction(value) ? undefined : lookup.written({ tree, node: value })
        if (prefix === undefined || prefix.name.length < 2 || !pattern.startsWith(prefix.name)) continue
        trail.suspect({ tree }, value, 0.9, `puts the prefix ${prefix.name} before its routes`)
        if (prefix.at.node !== value) trail.suspect(prefix.at, prefix.at.node, 0.91, `is the prefix ${prefix.name}`)
        trail.define({ ...step, name: prefix.name }, 'Is put before the routes', tree, call, [lineOf(value)])
      }
    }
  }
}

/** Calls that would add a route with the requested path, where the application has none: what they depend on was not so. */
function noteUnadded(trail: Trail, near: readonly Suggestion[], step: Omit<Step, 'tree' | 'node'>): void {
  const { lookup, request } = trail.options
  if (request === undefined) return
  for (const tree of lookup.withImported()) {
    for (const call of tree.calls) {
      const isNamed = call.arguments.some((one) => one.type === 'StringLiteral' && one.value === request.path)
      if (!isNamed || !addsRoute(lookup, tree, call, request.method)) continue
      if (near.some(({ pattern }) => pattern.endsWith(request.path))) continue
      const condition = tree.around(
        call,
        (node): node is t.IfStatement | t.ConditionalExpression | t.LogicalExpression =>
          'test' in node || node.type === 'LogicalExpression',
      )
      const asked = condition === undefined ? undefined : 'test' in condition ? condition.test : condition.left
      const usedAt = `${tree.file.path}:${lineOf(call)}`
      trail.suspect({ tree }, call.callee, 0.9, `names ${request.path}, but no such route was added`)
      const here = { ...step, usedAt, tree, node: call, isValue: false, name: request.path }
      trail.define(here, 'Was not added', tree, condition ?? call, [lineOf(call)])
      if (asked === undefined) continue
      trail.suspect({ tree }, asked, 0.97, `decides whether ${request.path} is added; it was not`)
      for (const node of leavesOf(asked, 3)) trail.push({ ...here, node, name: codeWord(tree, node) })
    }
  }
}

/** Of the options of a route: `{ requirements: { code: codePattern } }`. */
function requirementsOf(call: CallNode): [name: string, value: Node][] {
  const options = call.arguments.flatMap((one) => (one.type === 'ObjectExpression' ? one.properties : []))
  return options.flatMap((one) => {
    const isIt = one.type === 'ObjectProperty' && nameOfKey(one.key) === 'requirements'
    if (!isIt || one.value.type !== 'ObjectExpression') return []
    return one.value.properties.flatMap((part): [string, Node][] =>
      part.type === 'ObjectProperty' ? [[nameOfKey(part.key) ?? '', part.value]] : [],
    )
  })
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
