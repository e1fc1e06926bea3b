// What the source reads of the request: parameters of its route, headers, fields of its query, cookies; and what the request has.

import type * as t from '@babel/types'
import type { HttpRequest } from '../base/http/request.ts'
import { nameOfFunction, propertiesOf } from './functions.ts'
import { nearNames, codeWord, stateOf, wholeWord } from './words.ts'
import { noteBehindRoutes, noteLateParser, noteOtherParser } from './far-faults.ts'
import { bare, isCall, isFunction, isMember, nameOfKey, propertyOf, visit } from '../errors/source/syntax.ts'
import type { SourceTree } from '../errors/source/source-tree.ts'
import type { CallNode, Node } from '../errors/source/syntax.ts'
import type { Key, Step, Trail, TrailOptions } from './trail.ts'

/** What handlers call their first parameter. */
export const requestName: RegExp = /^(?:req|request|ctx|context|c|exchange)$/

/** What is read of a request, by the name of its property or method. */
const parts: Readonly<Record<string, 'headers' | 'query' | 'cookies'>> = {
  headers: 'headers',
  header: 'headers',
  query: 'query',
  searchParams: 'query',
  cookies: 'cookies',
}
const words = { headers: 'header of the request', query: 'field of the query', cookies: 'cookie of the request' }

/** Notes a name that is read of the request and that it does not have. */
export function readOfRequest(trail: Trail, step: Step, path: readonly Key[]): void {
  const { route, request } = trail.options
  if (path.some(isParams)) return routeParameter(trail, route, path)
  const at = path.findIndex(({ name }) => Object.hasOwn(parts, name))
  const part = at >= 0 ? parts[path[at]?.name ?? ''] : isGot(trail.options, path[0]) ? 'headers' : undefined
  const key = path[at + 1]
  if (part === undefined || key === undefined || request === undefined || !/^[\w$.-]+$/.test(key.name)) return
  const name = part === 'headers' ? key.name.toLowerCase() : key.name
  trail.options.lookup.isOfNow = true
  const values = part === 'headers' ? Object.entries(request.headers) : [...request[part].entries()]
  const names = new Map(values)
  if (key.name in Map.prototype || key.name in URLSearchParams.prototype) return
  const { tree, node } = key.at
  const state = names.has(name) ? stateOf(names.get(name) ?? '') : undefined
  const count = values.filter(([one]) => one === name).length
  if (state === 'is set' && count > 1 && trail.options.fault.kind === 'not-callable')
    return trail.suspect(key.at, node, 0.96, `names \`${name}\`: this ${words[part]} was sent ${count} times`, step)
  if (state === 'is set') return
  if (state !== undefined)
    return trail.suspect(key.at, node, 0.96, `names \`${name}\`: this ${words[part]} ${state}`, step)
  const [near] = nearNames(name, [...names.keys()])
  const isDefaulted =
    tree.around(node, (one): one is Node => !isMember(one) && !isCall(one))?.type === 'LogicalExpression'
  const choice = tree.around(node, (one): one is t.ConditionalExpression => one.type === 'ConditionalExpression')
  const isAsked = choice !== undefined && tree.textOf(choice.test).includes(tree.textOf(tree.parentOf(node) ?? node))
  if (key.isOptional === true || ((isDefaulted || isAsked) && near === undefined)) return
  const { kind, message } = trail.options.fault
  const isOther = kind === 'other' && !/\bundefined\b|Invalid time value/.test(message)
  const score = near !== undefined ? 0.985 : isOther ? 0.6 : 0.8
  const why = `names \`${name}\`: there is no such ${words[part]}${near === undefined ? '' : `, but \`${near}\``}`
  trail.suspect(key.at, node, score, why, near === undefined ? step : undefined)
  if (name === 'cookie' || part === 'cookies') lookAtCookiePaths(trail, request.path)
}

/** In a handler the body may be read, too: one that nothing parsed is `undefined` in other frameworks, `req.body`, `ctx.request.body`. */
export function readInHandler(trail: Trail, step: Step, path: readonly Key[]): void {
  readOfRequest(trail, step, path)
  noteSetOnRequest(trail, step, path)
  const { request, fault, lookup } = trail.options
  const [key, ...rest] = path[0]?.name === 'request' ? path.slice(1) : path
  if (key?.name !== 'body' || request === undefined) return
  const isEmpty = (request.headers['content-length'] ?? '0') === '0' && !('transfer-encoding' in request.headers)
  if (!isEmpty) noteOtherParser(trail)
  if (rest.length > 0) return noteField(trail, step, rest)
  if (!step.isValue || fault.kind !== 'nothing') return
  lookup.isOfNow = true
  const type = request.headers['content-type'] ?? 'text without a type'
  const owner = key.at.tree.around(key.at.node, isFunction)
  const uses = lookup.usesOfName((owner && nameOfFunction(key.at.tree, owner)) ?? '')
  const given = uses.map(({ tree, node }) => tree.textOf(tree.parentOf(node) ?? node)).join('\n')
  // Of Fastify, before its parsers.
  const [, moment] = /\baddHook\(\s*['"](onRequest|preParsing)\b/.exec(given) ?? []
  const unparsed = moment ? ` in ${moment}, before it is parsed` : `, but nothing parsed ${type}`
  const why = isEmpty ? 'reads `body`: this request has none' : `reads \`body\`${unparsed}`
  trail.suspect(key.at, key.at.node, 0.96, why, step)
  if (!isEmpty) noteLateParser(trail)
}

/** A field that is read of the parsed body, and that this request did not send. */
export function noteField(trail: Trail, step: Step, keys: readonly Key[]): void {
  const { request, fault, lookup } = trail.options
  let value = request && sentBody(request)
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    lookup.isOfNow = true
    if (key.name in value) {
      value = Reflect.get(value, key.name)
      continue
    }
    const [near] = nearNames(key.name, Object.keys(value))
    if (key.name === '*' || key.isOptional === true || (near === undefined && fault.kind === 'other')) return
    const but = near === undefined ? '' : `, but \`${near}\``
    const why = `names \`${key.name}\`: there is no such field of the body${but}`
    return trail.suspect(key.at, key.at.node, near === undefined ? 0.9 : 0.985, why, step)
  }
}

/** What was sent as JSON or as a form, where all of it was seen. */
function sentBody({ headers, body: { seen } }: HttpRequest): unknown {
  if (seen?.isComplete !== true || seen.droppedBytes > 0) return undefined
  const type = headers['content-type'] ?? ''
  const text = seen.kept.toString()
  if (type.includes('urlencoded')) return Object.fromEntries(new URLSearchParams(text))
  try {
    return type.includes('json') ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

/** What a middleware put there: `req.user = …`, `ctx.state.user = …`. */
function noteSetOnRequest(trail: Trail, step: Step, path: readonly Key[]): void {
  const [{ lookup }, word] = [trail.options, wholeWord(path[0]?.name ?? '')]
  for (const tree of new Set([...lookup.withImported(word), ...lookup.fromStart(word)])) {
    for (const { left, right } of tree.assignments) {
      const names: (string | null)[] = []
      let holder: Node = left
      for (; isMember(holder); holder = bare(holder.object)) names.unshift(propertyOf(holder))
      const isIt = holder.type === 'Identifier' && requestName.test(holder.name) && names.length > 0
      if (!isIt || names.some((name, index) => name !== path[index]?.name)) continue
      trail.suspect({ tree }, left, 0.6, `assigns \`${codeWord(tree, left)}\``, step)
      const isSetter = (where: SourceTree, given: Node): boolean =>
        lookup.functionsOf({ tree: where, node: given }).some((found) => found.node === tree.around(left, isFunction))
      if (trail.options.fault.kind === 'nothing') noteBehindRoutes(trail, wholeWord('use'), isSetter)
      trail.push({ ...step, tree, node: right, path: path.slice(names.length), depth: step.depth + 1, isOneOf: true })
    }
  }
}

/** Whether a node reads `request.query.limit`, and that is a number in this request. */
export function isNumberOfRequest({ options: { request, lookup } }: Trail, given: Node): boolean {
  const node = bare(given)
  if (!isMember(node) || !isMember(node.object) || request === undefined) return false
  const part = parts[propertyOf(node.object) ?? '']
  const name = propertyOf(node) ?? ''
  lookup.isOfNow ||= part !== undefined
  const value = part === 'headers' ? request.headers[name.toLowerCase()] : part && request[part].get(name)
  return !Number.isNaN(Number.parseFloat(value ?? ''))
}

/** Whether a key is the argument of `request.get('x-tenant')`, or of `ctx.get()` of Koa: that of Hono's context is no header. */
function isGot({ lookup }: TrailOptions, key: Key | undefined): boolean {
  const call = key?.at.tree.parentOf(key.at.node)
  if (call === undefined || !isCall(call) || !isMember(call.callee) || propertyOf(call.callee) !== 'get') return false
  const holder = bare(call.callee.object)
  if (holder.type !== 'Identifier' || !/^(?:c|ctx|context)$/.test(holder.name)) return true
  const isKoa = (from: string): boolean => /^(?:@koa\/|koa\b)/.test(from)
  return [...lookup.trees].some(({ imports, loads }) => imports.some(({ from }) => isKoa(from)) || loads.some(isKoa))
}

const cookieSetting = /\b(?:httpOnly|sameSite|maxAge|secure|expires)\b/i

/** Cookies that clients send only below a path which is not that of the request. */
function lookAtCookiePaths(trail: Trail, path: string): void {
  for (const tree of trail.options.lookup.withImported(cookieSetting)) {
    visit(tree.program, (node) => {
      if (node.type !== 'ObjectExpression') return true
      const properties = propertiesOf([node])
      const found = properties.find(
        ({ key, value }) => nameOfKey(key)?.toLowerCase() === 'path' && value.type === 'StringLiteral',
      )
      const written = found?.value.type === 'StringLiteral' ? found.value.value : ''
      const isBelow = path === written || path.startsWith(written.endsWith('/') ? written : `${written}/`)
      if (found === undefined || !written.startsWith('/') || isBelow) return true
      if (properties.some(({ key }) => cookieSetting.test(nameOfKey(key) ?? '')))
        trail.suspect({ tree }, found, 0.97, `sends the cookie only below ${written}, and this request is for ${path}`)
      return true
    })
  }
}

/** `request.params`, and `c.req.param()` of Hono. */
function isParams({ name }: Key, index: number, path: readonly Key[]): boolean {
  return name === 'params' || (name === 'param' && path[index - 1]?.name === 'req')
}

function routeParameter(trail: Trail, route: string | null, path: readonly Key[]): void {
  const at = path.findIndex(isParams)
  const key = path[at + 1]
  if (key === undefined || route === null) return
  const parameters = parametersOf(route)
  if (parameters.has(key.name) || !/^[a-z_$]/i.test(key.name)) return
  const has = parameters.size === 0 ? 'has no parameters' : `has ${[...parameters.values()].join(', ')}`
  trail.suspect(key.at, key.at.node, 0.97, `reads the parameter \`${key.name}\`, but the route ${route} ${has}`)
}

/** Names of parameters, and how they are written: ours as `{id}`, those of other frameworks as `:id` or `*rest`. */
function parametersOf(route: string): ReadonlyMap<string, string> {
  const withoutRequirements = route.replaceAll(/<[^>]*>|\([^)]*\)/g, '')
  const found = withoutRequirements.matchAll(/\{[!*]?(\w+)|[:*](\w+)/g)
  return new Map(Array.from(found, ([written, ours, theirs = '']) => (ours ? [ours, `{${ours}}`] : [theirs, written])))
}

/** Whether a call defines a route or a middleware. */
export function isRoute(call: CallNode): boolean {
  const isPath = (node: Node): boolean =>
    (node.type === 'StringLiteral' && node.value.startsWith('/')) || node.type === 'RegExpLiteral'
  return call.arguments.some(isPath) || (isMember(call.callee) && propertyOf(call.callee) === 'use')
}
