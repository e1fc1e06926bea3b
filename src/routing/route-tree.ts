// The route table as a tree over the characters of paths: what several paths begin with is compared once.

import type { ParamValue } from '../base/http/request.ts'
import { firstOptionalToken, type PatternToken, type ParamToken } from './path-pattern.ts'
import { compilePattern, type Program, compileExpression, maxSteps, runProgram, type Budget } from './program.ts'
import { paramNames, type Route } from './route.ts'
import { canHold, leastLength, parseRegex } from './regex-syntax.ts'

/** A route made ready. */
export class RouteEntry {
  readonly route: Route
  /** Lower ones are asked first. */
  readonly order: number
  /** Whether it is asked before every route with parameters, and takes any number of slashes at the end of its path. */
  readonly isFirst: boolean
  /** Tokens of the path, without a slash at the very end. */
  readonly tokens: readonly PatternToken[]
  readonly hasTrailingSlash: boolean
  /** Whether the path ends in a parameter, which may take a slash at the end for itself. */
  readonly endsInParam: boolean
  readonly firstOptional: number
  /** Names of the parameters of the path, in order. */
  readonly names: readonly string[]
  /** Host to compare with, `null` for a pattern or for any host. */
  readonly hostName: string | null
  readonly hostPattern: Program | null
  readonly hostNames: readonly string[]
  /** Methods that the route responds to, HEAD with GET; `null` for any. */
  readonly methods: readonly string[] | null
  /** The defaults as parameters, for a path that sets none. */
  readonly defaults: Readonly<PathValues>
  /** The match of a request that sets none. */
  readonly fixedMatch: { readonly kind: 'match'; readonly route: Route; readonly params: Readonly<PathValues> }

  constructor(route: Route, order: number, isFirst = false) {
    this.route = route
    this.order = order
    this.isFirst = isFirst
    this.hasTrailingSlash = route.path !== '/' && route.path.endsWith('/')
    this.tokens = this.hasTrailingSlash ? withoutLastSlash(route.tokens) : route.tokens
    const last = this.tokens.at(-1)
    this.endsInParam = last?.kind === 'param' && !last.isImportant
    this.firstOptional = this.hasTrailingSlash ? this.tokens.length : firstOptionalToken(route.tokens, route.defaults)
    this.names = paramNames(route.tokens)
    this.hostNames = paramNames(route.hostTokens)
    this.hostName = route.host === '' || this.hostNames.length > 0 ? null : route.host
    this.hostPattern =
      this.hostNames.length === 0 ? null : compilePattern(inLowerCase(route.hostTokens), { flags: 'is' })
    this.methods = route.methods.length === 0 ? null : allowedMethods(route)
    const hasDefaults = Object.keys(route.defaults).length > 0
    this.defaults = hasDefaults ? Object.freeze(Object.assign(new PathValues(), route.defaults)) : noDefaults
    this.fixedMatch = Object.freeze({ kind: 'match', route, params: this.defaults })
  }
}

/** Parameters by name. It has no prototype that a name could meet: `toString`, `__proto__`. */
export class PathValues {
  [name: string]: ParamValue
  static {
    Reflect.deleteProperty(this.prototype, 'constructor')
    Object.setPrototypeOf(this.prototype, null)
  }
}

/** Of all routes without defaults. */
export const noDefaults: Readonly<PathValues> = Object.freeze(new PathValues())

const getAndHead: readonly string[] = ['GET', 'HEAD']

/** Methods of a route as `Allow` lists them: HEAD behind GET. */
export function allowedMethods(route: Route): readonly string[] {
  if (route.methods.length === 1) return route.methods[0] === 'GET' ? getAndHead : route.methods
  return route.methods.flatMap((method) =>
    method === 'GET' && !route.methods.includes('HEAD') ? ['GET', 'HEAD'] : [method],
  )
}

function withoutLastSlash(tokens: readonly PatternToken[]): PatternToken[] {
  const last = tokens.at(-1)
  if (last?.kind !== 'text') return [...tokens]
  const text = last.text.slice(0, -1)
  return text === '' ? tokens.slice(0, -1) : [...tokens.slice(0, -1), { kind: 'text', text }]
}

function inLowerCase(tokens: readonly PatternToken[]): PatternToken[] {
  return tokens.map((token) => (token.kind === 'text' ? { ...token, text: token.text.toLowerCase() } : token))
}

/** The rest of the path belongs to parameters that no separator tells apart. */
interface TreeTail {
  readonly entry: RouteEntry
  readonly program: Program
  /** How many characters before the place in the tree it begins: 1 if it is the whole path. */
  readonly overlap: number
}

/** A parameter of at least one character, up to the first of `stops` or the end of the path. */
interface ParamEdge {
  readonly stops: string
  readonly source: string
  /** What the value must match; `null` for anything. */
  readonly program: Program | null
  readonly node: TreeNode
}

/** Greater than every order; a small integer, which V8 keeps in the object. */
export const noOrder = 0x3fff_ffff

/** Where a place in the tree goes on with anything but text. */
interface Fork {
  readonly params: ParamEdge[]
  readonly tails: TreeTail[]
  /** The lowest order of the routes in it. */
  minOrder: number
}

/** A place in the tree, behind `text`. The root is behind the slash that every path begins with. */
export class TreeNode {
  text: string
  /** By the code of the first character of their text, from `lowest` on. */
  children: (TreeNode | null)[] = []
  lowest = 0
  /** Routes whose path may end here. */
  ends: RouteEntry[] | null = null
  fork: Fork | null = null
  /** The lowest order of the routes here and below. */
  minOrder: number

  constructor(text: string, minOrder: number = noOrder) {
    this.text = text
    this.minOrder = minOrder
  }
}

/** Adds every way through the path of a route: one for each place where its optional part may end. */
export function addToTree(root: TreeNode, entry: RouteEntry): void {
  const { tokens, firstOptional, order } = entry
  const tail = firstTailToken(entry)
  let node = root
  for (const [index, token] of tokens.entries()) {
    if (index === tail) break
    if (index >= firstOptional && index > 0) addEnd(node, entry)
    const text = token.kind === 'text' ? token.text : token.separator
    // A percent sign begins a node, so that none is compared with one in a path as sent.
    for (const part of (index === 0 ? text.slice(1) : text).split(/(?=%)/)) node = addText(node, part, order)
    if (token.kind === 'text') continue
    // A path is never empty: the separator stays when its only parameter is left out.
    if (firstOptional === 0) addEnd(node, entry)
    const { stops, source } = spanOf(entry, token, index) ?? { stops: '/', source: '' }
    node = addParam(forkOf(node, order), stops, source, order)
  }
  if (tail === null) addEnd(node, entry)
  else {
    const program = compilePattern(tokens, { from: tail, firstOptional, mayEndInSlash: true })
    forkOf(node, order).tails.push({ entry, program, overlap: tail === 0 ? 1 : 0 })
  }
}

function addEnd(node: TreeNode, entry: RouteEntry): void {
  node.ends ??= []
  node.ends.push(entry)
}

function forkOf(node: TreeNode, order: number): Fork {
  node.fork ??= { params: [], tails: [], minOrder: order }
  node.fork.minOrder = Math.min(node.fork.minOrder, order)
  return node.fork
}

function addText(node: TreeNode, text: string, order: number): TreeNode {
  if (text === '') return node
  const known = childOf(node, text.charCodeAt(0))
  const shared = known === null ? text.length : sharedLength(known.text, text)
  const child = known === null ? new TreeNode(text, order) : shared < known.text.length ? split(known, shared) : known
  child.minOrder = Math.min(child.minOrder, order)
  setChild(node, child)
  return addText(child, text.slice(shared), order)
}

/** The child whose text begins with this character. */
function childOf({ children, lowest }: TreeNode, code: number): TreeNode | null {
  const index = code - lowest
  return index >= 0 && index < children.length ? (children[index] ?? null) : null
}

function setChild(node: TreeNode, child: TreeNode): void {
  const { children, lowest } = node
  const code = child.text.charCodeAt(0)
  const from = children.length === 0 ? code : Math.min(lowest, code)
  const length = Math.max(lowest + children.length, code + 1) - from
  if (length > children.length) {
    node.children = Array.from({ length }, (_, index) => childOf(node, from + index))
    node.lowest = from
  }
  node.children[code - from] = child
}

/** Puts a node in front of `child` for the first `length` characters of its text. */
function split(child: TreeNode, length: number): TreeNode {
  const head = new TreeNode(child.text.slice(0, length), child.minOrder)
  child.text = child.text.slice(length)
  setChild(head, child)
  return head
}

function addParam({ params }: Fork, stops: string, source: string, order: number): TreeNode {
  const same = params.find((edge) => edge.stops === stops && edge.source === source)
  const edge = same ?? {
    stops,
    source,
    program: source === '' ? null : compileExpression(source),
    node: new TreeNode(''),
  }
  edge.node.minOrder = Math.min(edge.node.minOrder, order)
  if (same === undefined) params.push(edge)
  return edge.node
}

function sharedLength(one: string, other: string): number {
  const limit = Math.min(one.length, other.length)
  let length = 0
  while (length < limit && one.charCodeAt(length) === other.charCodeAt(length)) length += 1
  return length
}

/**
 * Index of the token where the tail begins, `null` for none. An optional part belongs to one tail as a whole. Where everything
 * is optional, any parameter but the last may be empty too (`//b` for `/{a}/{b}`), so the whole path is a tail.
 */
function firstTailToken(entry: RouteEntry): number | null {
  const { tokens, firstOptional } = entry
  if (firstOptional === 0 && tokens.length > 1) return 0
  const open = tokens.findIndex((token, index) => token.kind === 'param' && spanOf(entry, token, index) === null)
  return open < 0 ? null : Math.min(open, firstOptional)
}

/** Where a parameter ends and what it must match, or `null` if its end depends on what follows. */
function spanOf(entry: RouteEntry, token: ParamToken, index: number): { stops: string; source: string } | null {
  const { source, stops } = token
  const next = entry.tokens[index + 1]
  const isLast = next === undefined
  const following = isLast ? '' : next.kind === 'text' ? next.text.charAt(0) : next.separator
  if (!isLast && following === '') return null
  if (!token.isRequired) return isLast || stops.includes(following) ? { stops, source: '' } : null
  // The rest of the path, with a slash at its end.
  if (source === '.+' && isLast && entry.endsInParam && !entry.hasTrailingSlash) return { stops: '', source: '' }
  const node = parseRegex(source)
  if (canHold(node, '/') || leastLength(node) === 0) return null
  if (isLast || following === '/') return { stops: '/', source }
  return canHold(node, following) ? null : { stops: `/${following}`, source }
}

export interface PathMatch {
  readonly entry: RouteEntry
  /** Whether the slash at the end of the path is there, or not there, as in the pattern. */
  readonly isOwnForm: boolean
}

/** A parameter on the way through the tree: where it begins and ends, -1 if it is left out; and the one before it. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly before: Span | null
}

/** The search for one path. A plain object, because one is made for every request. */
export interface TreeSearch extends Budget {
  /** Decoded, or as sent. */
  readonly path: string
  /** Whether the path as sent holds a percent sign. The search ends where one is found; then the decoded path has to be looked up. */
  percent: 'unknown' | 'none' | 'found'
  /** Length of the path without the slashes at its end. */
  readonly trimmedLength: number
  /** Order of the final match. */
  limit: number
  /** Whether the path was followed to its end, but for slashes: only then could another number of them match something else. */
  reachedEnd: boolean
  /**
   * Is shown a route that matches the path, in the order of the tree, and its last parameter. Gives whether the match is final, so that
   * routes after it need not be shown.
   */
  visit(entry: RouteEntry, isOwnForm: boolean, last: Span | null): boolean
}

/** Every route of a tree that matches a decoded path, with a slash more or less at its end; the first of the table first. */
export function findMatches(root: TreeNode, path: string, budget: Budget = { steps: maxSteps }): readonly PathMatch[] {
  const found: PathMatch[] = []
  const search: TreeSearch = {
    path,
    percent: 'none',
    trimmedLength: trimmedLength(path),
    limit: noOrder,
    reachedEnd: false,
    steps: budget.steps,
    visit: (entry, isOwnForm) => {
      found.push({ entry, isOwnForm })
      return false
    },
  }
  walkTree(search, root)
  budget.steps = search.steps
  return found.sort((one, other) => one.entry.order - other.entry.order)
}

/** From the root on. One way leads to each node, so each is passed at most once. */
export function walkTree(search: TreeSearch, root: TreeNode): void {
  if (search.path.charCodeAt(0) === slash) walk(search, root, 1, null)
}

/** From a node on, at a position of the path, behind a parameter or `null`. */
function walk(search: TreeSearch, from: TreeNode, start: number, behindParam: Span | null): void {
  const { path, trimmedLength } = search
  const { length } = path
  let node = from
  let position = start
  let last = behindParam
  for (;;) {
    if (position >= trimmedLength) {
      search.reachedEnd = true
      if (node.ends !== null) visitEnds(search, node.ends, position, last)
    }
    if (position === length && node.fork === null) return
    const code = position < length ? path.charCodeAt(position) : -1
    if (code === percentSign && isEncoded(search)) return
    let child = childOf(node, code)
    let behind = position + 1
    if (child !== null) {
      const { text } = child
      const end = position + text.length
      const stop = Math.min(end, length)
      while (behind < stop && text.charCodeAt(behind - position) === path.charCodeAt(behind)) behind += 1
      if (behind < end) {
        if (path.charCodeAt(behind) === percentSign && isEncoded(search)) return
        if (behind >= trimmedLength) search.reachedEnd = true
        child = null
      }
    }
    const { fork } = node
    if (fork !== null) {
      // What was defined earlier goes first, so that less of the rest has to be looked at.
      if (child !== null && child.minOrder < fork.minOrder) {
        walk(search, child, behind, last)
        child = null
      }
      if (fork.minOrder < search.limit) {
        if (isEncoded(search)) return
        const only = child === null && fork.params.length + fork.tails.length === 1 ? fork.params[0] : undefined
        if (only !== undefined) {
          const end = paramEnd(search, only, position)
          if (end < 0) return
          last = { start: position, end, before: last }
          node = only.node
          position = end
          continue
        }
        walkFork(search, fork, position, last)
      }
    }
    if (child === null || child.minOrder >= search.limit) return
    node = child
    position = behind
  }
}

function walkFork(search: TreeSearch, { params, tails }: Fork, position: number, last: Span | null): void {
  for (const edge of params) {
    if (edge.node.minOrder >= search.limit) continue
    const end = paramEnd(search, edge, position)
    if (end >= 0) walk(search, edge.node, end, { start: position, end, before: last })
  }
  for (const tail of tails) if (tail.entry.order < search.limit) visitTail(search, tail, position, last)
}

/** Where the value of a parameter ends, -1 if there is none that it may have. */
function paramEnd(search: TreeSearch, { stops, program }: ParamEdge, position: number): number {
  const { path } = search
  const end = spanEnd(path, position, stops)
  if (end === position) return -1
  if (program === null || runProgram(program, path, position, end, search) !== null) return end
  search.reachedEnd ||= end >= search.trimmedLength
  return -1
}

/** Looks for a percent sign, if that is not known yet. */
function isEncoded(search: TreeSearch): boolean {
  if (search.percent === 'none') return false
  search.percent = search.path.includes('%') ? 'found' : 'none'
  return search.percent === 'found'
}

function visitEnds(search: TreeSearch, ends: readonly RouteEntry[], position: number, last: Span | null): void {
  const { path, trimmedLength } = search
  const hasSlash = trimmedLength < path.length
  for (const entry of ends) {
    if (entry.order >= search.limit) continue
    if (entry.isFirst ? position > trimmedLength : position < path.length - 1) continue
    // A slash at the end that the pattern matched belongs to it: `/a//{id}` without its `id` is `/a/`.
    const isOwnSlash = entry.hasTrailingSlash || position > trimmedLength
    show(search, entry, hasSlash ? isOwnSlash : !entry.hasTrailingSlash, last)
  }
}

function visitTail(search: TreeSearch, { entry, program, overlap }: TreeTail, from: number, last: Span | null): void {
  const position = from - overlap
  const { path, trimmedLength } = search
  search.reachedEnd = true
  let slots = runProgram(program, path, position, path.length, search)
  if (slots === null) return
  const hasSlash = trimmedLength < path.length
  let isOwnForm = entry.hasTrailingSlash === hasSlash
  if (hasSlash && entry.endsInParam) {
    // A parameter at the end may take the slash for itself, `{path<.+>}`; only otherwise is there one too many.
    const end = slots.at(-1) ?? -1
    const isTaken = !entry.hasTrailingSlash && end >= 0 && (end === slots.at(-2) || path.charCodeAt(end - 1) === slash)
    const isOwn = isTaken || position > trimmedLength
    const shorter = isOwn ? null : runProgram(program, path.slice(0, trimmedLength), position, trimmedLength, search)
    isOwnForm = shorter === null || entry.hasTrailingSlash
    if (shorter !== null && isOwnForm) slots = shorter
  }
  // One that is left out is empty if another behind it is there.
  const lastSet = slots.findLastIndex((place) => place >= 0)
  let span = last
  for (let index = 0; index < slots.length; index += 2) {
    const [start = -1, end = -1] = slots.slice(index, index + 2)
    span = start < 0 && index < lastSet ? { start: 0, end: 0, before: span } : { start, end, before: span }
  }
  show(search, entry, isOwnForm, span)
}

function show(search: TreeSearch, entry: RouteEntry, isOwnForm: boolean, last: Span | null): void {
  if (search.visit(entry, isOwnForm || search.path === '/', last)) search.limit = entry.order
}

/** Index of the first of `stops` from `position` on, or the end of the path. */
function spanEnd(path: string, position: number, stops: string): number {
  if (stops === '/') {
    const found = path.indexOf('/', position)
    return found < 0 ? path.length : found
  }
  let end = path.length
  for (let index = 0; index < stops.length; index += 1) {
    const found = path.indexOf(stops.charAt(index), position)
    if (found >= 0 && found < end) end = found
  }
  return end
}

const slash = 0x2f
const percentSign = 0x25

/** Length without the slashes at the end; that of `/` stays. */
export function trimmedLength(path: string): number {
  let end = path.length
  while (end > 1 && path.charCodeAt(end - 1) === slash) end -= 1
  return end
}
