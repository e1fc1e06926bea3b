// Walks the tree for one path and shows every route that matches it to a visitor.

import type { RouteEntry } from './route-entry.ts'
import { noOrder } from './route-tree.ts'
import type { ParamEdge, TreeEnd, TreeNode, TreeTail } from './route-tree.ts'
import type { TailValues } from './tail-matcher.ts'

/** A route that matches the path. */
export interface PathMatch {
  readonly entry: RouteEntry
  /** Whether the slash at the end of the path is there, or not there, as in the pattern. */
  readonly isOwnForm: boolean
}

/** A parameter's value, undecoded, and the ones before it; `undefined` where it was left out. */
export interface ValueChain {
  readonly value: string | undefined
  readonly before: ValueChain | null
}

/** Is shown the matches, in the order of the tree. */
export interface MatchVisitor {
  /** Whether the match is final, so that routes behind it need not be shown. */
  visit(entry: RouteEntry, names: readonly string[], values: ValueChain | null, isOwnForm: boolean): boolean
}

/** Every route of a tree that matches a decoded path, with a slash more or less at its end; the first of the table first. */
export function findMatches(root: TreeNode, path: string): readonly PathMatch[] {
  const found: PathMatch[] = []
  const visit: MatchVisitor['visit'] = (entry, _names, _values, isOwnForm) => {
    found.push({ entry, isOwnForm })
    return false
  }
  new TreeSearch(path, { visit }).walk(root, 0, null)
  return found.sort((one, other) => one.entry.order - other.entry.order)
}

/**
 * Follows a path to the first node where it may go more than one way; `null` where no route begins like the path, with any
 * number of slashes at its end.
 */
export function followText(root: TreeNode, path: string): TreeNode | null {
  const end = trimmedLength(path)
  let node = root
  while (node.depth < end && node.params.length === 0 && node.tails.length === 0) {
    const child = node.children.get(path.charCodeAt(node.depth))
    if (child === undefined) return null
    const { text } = child
    if (!path.startsWith(text, node.depth)) return text.startsWith(path.slice(node.depth, end)) ? node : null
    node = child
  }
  return node
}

/** Walks a tree for one decoded path. One way leads from one node to another, so each is passed at most once. */
export class TreeSearch {
  /** Whether the path was followed to its end, but for slashes: only then could another number of them match something else. */
  reachedEnd = false
  readonly #path: string
  readonly #trimmedLength: number
  readonly #visitor: MatchVisitor
  /** Order of the final match. */
  #limit = noOrder

  constructor(path: string, visitor: MatchVisitor) {
    this.#path = path
    this.#trimmedLength = trimmedLength(path)
    this.#visitor = visitor
  }

  /** From a node on, at a position of the path, with the values so far. */
  walk(from: TreeNode, start: number, values: ValueChain | null): void {
    const path = this.#path
    let node = from
    let position = start
    while (node.minOrder <= this.#limit) {
      const { params, tails } = node
      if (position >= this.#trimmedLength) {
        this.reachedEnd = true
        if (node.ends.length > 0) this.#visitEnds(node.ends, position, values)
      }
      const child = position < path.length ? node.children.get(path.charCodeAt(position)) : undefined
      const end = child === undefined ? -1 : this.#endOfText(child.text, position)
      if (params.length === 0 && tails.length === 0) {
        if (child === undefined || end < 0) return
        node = child
        position = end
        continue
      }
      if (child !== undefined && end >= 0) this.walk(child, end, values)
      for (const edge of params) this.#walkParam(edge, position, values)
      for (const tail of tails) if (tail.entry.order < this.#limit) this.#visitTail(tail, position, values)
      return
    }
  }

  #walkParam({ stops, expression, node }: ParamEdge, position: number, before: ValueChain | null): void {
    if (node.minOrder > this.#limit) return
    const path = this.#path
    const end = spanEnd(path, position, stops)
    if (end === position) return
    const value = path.slice(position, end)
    if (expression !== null && !expression.test(value)) return
    this.walk(node, end, { value, before })
  }

  /** Where the text ends that begins here, or -1 where the path has another. */
  #endOfText(text: string, position: number): number {
    const path = this.#path
    if (path.startsWith(text, position)) return position + text.length
    if (text.startsWith(path.slice(position, this.#trimmedLength))) this.reachedEnd = true
    return -1
  }

  #visitEnds(ends: readonly TreeEnd[], position: number, values: ValueChain | null): void {
    const left = this.#path.length - position
    const hasSlash = this.#trimmedLength < this.#path.length
    for (const { entry, names } of ends) {
      if (entry.order > this.#limit) continue
      if (entry.isFirst ? position !== this.#trimmedLength : left > 1) continue
      // A slash at the end that the pattern took belongs to it: `/a//{id}` without its `id` is `/a/`.
      const isOwnSlash = entry.hasTrailingSlash || (left === 0 && !entry.isFirst)
      const isOwnForm = this.#path === '/' || (hasSlash ? isOwnSlash : !entry.hasTrailingSlash)
      this.#visit(entry, names, values, isOwnForm)
    }
  }

  #visitTail({ entry, matcher }: TreeTail, position: number, before: ValueChain | null): void {
    const path = this.#path
    this.reachedEnd = true
    const values = matcher.match(path, position)
    if (values === null) return
    const hasSlash = this.#trimmedLength < path.length
    const show = (own: TailValues, isOwnForm: boolean): void => {
      let chain = before
      for (const value of own) chain = { value, before: chain }
      this.#visit(entry, entry.names, chain, isOwnForm)
    }
    if (path === '/') return show(values, true)
    if (!hasSlash || !entry.endsInParam) return show(values, entry.hasTrailingSlash === hasSlash)
    // A parameter at the end may take the slash for itself, `{path<.+>}`; only otherwise is there one too many.
    const last = values.at(-1)
    const isTaken = !entry.hasTrailingSlash && (last === '' || last?.endsWith('/') === true)
    if (isTaken || position > this.#trimmedLength) return show(values, true)
    const shorter = matcher.match(path.slice(0, this.#trimmedLength), position)
    if (shorter !== null && entry.hasTrailingSlash) return show(shorter, true)
    show(values, shorter === null)
  }

  #visit(entry: RouteEntry, names: readonly string[], values: ValueChain | null, isOwnForm: boolean): void {
    if (this.#visitor.visit(entry, names, values, isOwnForm)) this.#limit = entry.order
  }
}

/** Index of the first of `stops` from `position` on, or the end of the path. */
function spanEnd(path: string, position: number, stops: string): number {
  const stop = stops.charCodeAt(0)
  const other = stops.length > 1 ? stops.charCodeAt(1) : stop
  let end = position
  for (; end < path.length; end += 1) {
    const code = path.charCodeAt(end)
    if (code === stop || code === other) break
  }
  return end
}

/** Length without the slashes at the end; that of `/` stays. */
export function trimmedLength(path: string): number {
  let end = path.length
  while (end > 1 && path.charCodeAt(end - 1) === 47) end -= 1
  return end
}
