// What can be said of an error without frames of the application: its route's handler, and what that calls.

import type * as t from '@babel/types'
import type { Route } from '../routing/route.ts'
import { lastName, leavesOf } from './fault.ts'
import { propertiesOf, returnsOf, visitOwn } from './functions.ts'
import { maxImported, type Lookup } from './lookup.ts'
import type { Place } from './project-sources.ts'
import { returned } from './returns.ts'
import { lookIntoFunction, type FunctionPlace } from './smells.ts'
import type { SourceTree } from '../errors/source/source-tree.ts'
import type { CallNode, Node } from '../errors/source/syntax.ts'
import { isCall, isFunction, isMember, lineOf, placeLine, nameOfKey } from '../errors/source/syntax.ts'
import { blank, type Step, type Trail, type TrailOptions } from './trail.ts'
import { posix, resolve } from 'node:path'
import type { Suggestion } from '../routing/suggest-routes.ts'
import { codeWord, wholeWord } from './words.ts'

const maxFunctions = 40

/**
 * Where a route is defined: known, or the call with its path in the file that the process was started with or in one that it imports;
 * line 0 of the former if there is none. `null` without a file.
 */
export function findRoute(
  lookup: Lookup,
  route: Pick<Route, 'path' | 'definedAt'> | undefined,
  method: string,
): { readonly tree: SourceTree; readonly line: number } | null {
  const { sources } = lookup
  if (route?.definedAt) {
    const file = route.definedAt.file.replace(`${sources.files.root}/`, '')
    const tree = file.startsWith('/') ? null : sources.tree(file)
    return tree === null ? null : { tree, line: route.definedAt.line }
  }
  const { entry } = sources
  const start = route === undefined || entry === null ? null : sources.tree(entry)
  if (start === null || route === undefined) return null
  let found = { tree: start, line: 0 }
  let length = 0
  for (const tree of lookup.fromStart(wholeWord(method.toLowerCase(), 'all'))) {
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
function addsRoute(lookup: Lookup, tree: SourceTree, call: CallNode, method: string): boolean {
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
    const isResult = /^Handler .* returned /.test(message)
    if (kind === 'nothing' || isResult || /\bJSON\b/.test(message))
      returned(trail, { ...step, ...handler }, handler, [], isResult && kind !== 'nothing')
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
function handlersAt({ options }: Trail, tree: SourceTree, line: number): FunctionPlace[] {
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

function handlersOf(options: TrailOptions, place: Place, depth: number): FunctionPlace[] {
  const { lookup } = options
  const found: FunctionPlace[] = []
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

/** Notes the definition of each near route, what its path is made of, and the requirement that the request did not meet. */
export function lookAtNearRoutes(trail: Trail, near: readonly Suggestion[]): void {
  const { lookup } = trail.options
  const { entry } = lookup.sources
  if (entry !== null) lookup.paths.add(entry)
  if (trail.options.fault.message.startsWith('No route')) noteUnadded(trail, near)
  for (const [index, { definedAt, pattern, kind, reason, method }] of near.slice(0, 2).entries()) {
    const [, file = '', number = ''] = /^(.+):(\d+)$/.exec(definedAt ?? '') ?? []
    // The place is relative to the working directory.
    const known = { file: resolve(file), line: Number(number) }
    const found = findRoute(lookup, { path: pattern, definedAt: definedAt === null ? null : known }, method)
    if (found === null || found.line === 0) continue
    const { tree, line } = found
    lookup.trees.add(tree)
    const call = tree.nodesOnLine(line).find((node): node is CallNode => isCall(node) && node.arguments.length > 1)
    const score = (kind === 'typo' || kind === 'prefix' ? 0.6 : 0.88) * 0.8 ** index
    trail.suspect({ tree }, line, score, `defines ${pattern}: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`)
    if (call === undefined) continue
    const usedAt = `${tree.file.path}:${line}`
    trail.define({ ...blank, usedAt, tree, node: call, name: pattern }, reason, tree, call, [line])
    for (const part of partsOfPath(call))
      trail.push({ ...blank, usedAt, tree, node: part, name: pattern, isValue: false })
    const isSpelling = kind === 'typo' || kind === 'case' || kind === 'plural'
    if (isSpelling || kind === 'prefix' || kind === 'doubled-slash')
      notePrefixes(trail, { pattern, isSpelling }, { ...blank, usedAt, tree, node: call })
    if (kind !== 'requirement') continue
    for (const { key, value } of requirementsOf(call)) {
      const name = nameOfKey(key) ?? ''
      if (!reason.includes(`"${name}"`)) continue
      for (const found of lookup.find({ tree, node: value })) {
        if (found.node.type !== 'StringLiteral') continue
        const why = `requires ${found.node.value.slice(0, 80)} for ${name}`
        trail.suspect(found, found.node, 0.95, why)
        const declared = found.tree.parentOf(found.node) ?? found.node
        const at = { ...blank, usedAt, tree, node: call, name }
        trail.define(at, 'Is the requirement', found.tree, declared, [lineOf(found.node)])
      }
    }
  }
}

/** Routes of the same router that the request was meant for: their path has no parameter, and they stand behind the one that matched. */
export function noteRouteInFront(
  trail: Trail,
  { tree, line }: { readonly tree: SourceTree; readonly line: number },
): void {
  const { request } = trail.options
  const matched = tree
    .nodesOnLine(line)
    .find((node): node is CallNode => isCall(node) && lineOf(node) === line && pathOf(node) !== undefined)
  const path = matched && pathOf(matched)
  if (matched === undefined || path === undefined || request === undefined || !/[:{]/.test(path)) return
  for (const call of tree.calls) {
    const other = pathOf(call)
    const isIt =
      other !== undefined &&
      !/[:{*]/.test(other) &&
      request.path.endsWith(other) &&
      other.split('/').length === path.split('/').length &&
      (call.callee.end ?? 0) > (matched.end ?? 0) &&
      lastName(call.callee) === lastName(matched.callee) &&
      routerOf(tree, call) === routerOf(tree, matched)
    const why = `defines \`${other}\` behind \`${path}\`, which matches it first`
    if (isIt) trail.suspect({ tree }, call.callee.loc?.end.line ?? line, 0.97, why)
  }
}

function pathOf({ arguments: given }: CallNode): string | undefined {
  return given.find((one): one is t.StringLiteral => one.type === 'StringLiteral' && one.value.startsWith('/'))?.value
}

function routerOf(tree: SourceTree, node: Node): string {
  if (isMember(node)) return routerOf(tree, node.object)
  return isCall(node) && node.type !== 'NewExpression' ? routerOf(tree, node.callee) : tree.textOf(node)
}

/** What makes the path of a route, and its options. Its handlers do not decide whether it matches. */
function partsOfPath({ arguments: given }: CallNode): readonly Node[] {
  const [first, second] = given
  const isName = first?.type === 'StringLiteral' && !first.value.startsWith('/')
  const path = isName ? second : first
  return given.filter((one) => (one === path && one.type !== 'StringLiteral') || one.type === 'ObjectExpression')
}

/** Calls that put a prefix before routes: `app.use('/api', router)`, `group({ path: '/api' }, …)`. */
const mounting = wholeWord('use', 'mount', 'group', 'route', 'register', 'basePath')

/** `isSpelling`: only those that the request spells in another way. */
function notePrefixes(
  trail: Trail,
  { pattern, isSpelling }: { readonly pattern: string; readonly isSpelling: boolean },
  step: Step,
): void {
  const { lookup, request } = trail.options
  for (const tree of lookup.withImported(mounting)) {
    for (const call of tree.calls.filter(({ callee }) => mounting.test(lastName(callee) ?? ''))) {
      const given = call.arguments.flatMap((one): Node[] => (one.type === 'ObjectExpression' ? one.properties : [one]))
      for (const one of given) {
        const isPath = one.type === 'ObjectProperty' && /^(?:path|prefix)$/.test(nameOfKey(one.key) ?? '')
        const value = isPath ? one.value : one
        const prefix = isFunction(value) ? undefined : lookup.written({ tree, node: value })
        if (prefix === undefined || prefix.name.length < 2 || !pattern.startsWith(prefix.name)) continue
        if (isSpelling && request?.path.startsWith(prefix.name) !== false) continue
        trail.suspect({ tree }, value, 0.9, `puts the prefix ${prefix.name} before its routes`)
        if (prefix.at.node !== value) trail.suspect(prefix.at, prefix.at.node, 0.91, `is the prefix ${prefix.name}`)
        trail.define({ ...step, name: prefix.name }, 'Is put before the routes', tree, call, [lineOf(value)])
      }
    }
  }
}

/** Calls that would add a route with the requested path, where the application has none: what they depend on was not so. */
function noteUnadded(trail: Trail, near: readonly Suggestion[]): void {
  const { lookup, request } = trail.options
  if (near.length === 0) noteUnimported(trail)
  if (request === undefined) return
  for (const tree of lookup.withImported(wholeWord(request.path))) {
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
      const here = { ...blank, usedAt, tree, node: call, isValue: false, name: request.path }
      trail.define(here, 'Was not added', tree, condition ?? call, [lineOf(call)])
      if (asked === undefined) continue
      trail.suspect({ tree }, asked, 0.97, `decides whether ${request.path} is added; it was not`)
      for (const node of leavesOf(asked, 3)) trail.push({ ...here, node, name: codeWord(tree, node) })
    }
  }
}

/** Loads files by names that the source does not have. */
const loading = /\b(?:import|require)\((?!\s*['"])|\b(?:readdir|glob|autoload)/i

/** Files beside those that the application loads which would add a route for the request, and which none of these imports. */
function noteUnimported(trail: Trail): void {
  const { lookup, request } = trail.options
  const loaded = new Map(Array.from(lookup.fromStart(/^/), ({ file, text }) => [file.path, text]))
  const text = [...loaded.values()].join('\n')
  // Else there may be more that is loaded.
  if (request === undefined || loaded.size >= maxImported || !lookup.hasTimeToRead() || loading.test(text)) return
  const asked = request.path.split('/').filter(Boolean)
  const folders = new Set(Array.from(loaded.keys(), (path) => posix.dirname(path)))
  for (const path of [...folders].flatMap((one) => lookup.sources.siblings(one).map((name) => posix.join(one, name)))) {
    const { name } = posix.parse(path)
    const importing = new RegExp(`(?:from|import|require\\()\\s*['"][^'"\\n]*${wholeWord(name).source}`)
    const isSource = /(?<!\.d|\.test|\.spec)\.[cm]?[jt]s$/.test(path)
    if (!isSource || loaded.has(path) || importing.test(text) || !lookup.sources.contains(path, /\(\s*['"]\//)) continue
    const tree = lookup.sources.tree(path)
    for (const call of tree?.calls ?? []) {
      const parts = (pathOf(call) ?? '*').split('/').filter(Boolean)
      const rest = asked.slice(asked.length - parts.length)
      const isIt = parts.every((part, index) => /^[:{]/.test(part) || part === rest[index])
      const isMeant = asked.includes(name) || parts.some((part) => rest.includes(part))
      const why = `adds \`/${parts.join('/')}\`, but nothing that is loaded imports this file`
      if (tree && isIt && isMeant && addsRoute(lookup, tree, call, request.method))
        trail.suspect({ tree }, call, 0.93, why)
    }
  }
}

/** Of the options of a route: `{ requirements: { code: codePattern } }`. */
function requirementsOf(call: CallNode): readonly t.ObjectProperty[] {
  const given = propertiesOf(call.arguments).filter(({ key }) => nameOfKey(key) === 'requirements')
  return propertiesOf(given.map(({ value }) => value))
}
