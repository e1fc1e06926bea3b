// Walks the tree for one path and shows every route that matches it to a visitor.

import type { RouteEntry } from './route-entry.ts'
import { noOrder } from './route-tree.ts'
import type { ParamEdge, TreeEnd, TreeNode, TreeTail } from './route-tree.ts'

/** A route that matches the path. */
export interface PathMatch {
  readonly entry: RouteEntry
  /** Whether the slash at the end of the path is there, or not there, as in the pattern. */
  readonly isOwnForm: boolean
}

/** Is shown the matches, in the order of the tree. */
export interface MatchVisitor {
  /**
   * Whether the match is final, so that routes behind it need not be shown. `values` are those of `names`, undecoded, `undefined`
   * where left out; the list changes after the call.
   */
  visit(
    entry: RouteEntry,
    names: readonly string[],
    values: readonly (string | undefined)[],
    isOwnForm: boolean,
  ): boolean
}

/** Every route of a tree that matches a decoded path, with a slash more or less at its end; the first of the table first. */
export function findMatches(root: TreeNode, path: string): readonly PathMatch[] {
  const found: PathMatch[] = []
  const visit: MatchVisitor['visit'] = (entry, _names, _values, isOwnForm) => {
    found.push({ entry, isOwnForm })
    return false
  }
  new TreeSearch(path, { visit }).walk(root, 0, 0)
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
    const { text, depth } = child
    if (!path.startsWith(text, node.depth)) {
      return depth > end && text.startsWith(path.slice(node.depth, end)) ? node : null
    }
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
  /** Of the parameters on the way. */
  readonly #values: (string | undefined)[] = []
  /** Order of the final match. */
  #limit = noOrder

  constructor(path: string, visitor: MatchVisitor) {
    this.#path = path
    this.#trimmedLength = trimmedLength(path)
    this.#visitor = visitor
  }

  /** From a node on, at a position of the path, behind `count` parameters. */
  walk(from: TreeNode, start: number, count: number): void {
    const path = this.#path
    let node = from
    let position = start
    while (node.minOrder <= this.#limit) {
      if (position >= this.#trimmedLength) {
        this.reachedEnd = true
        if (node.ends.length > 0) this.#visitEnds(node.ends, position)
      }
      const child = position < path.length ? node.children.get(path.charCodeAt(position)) : undefined
      const isChild = child !== undefined && this.#startsWith(child.text, position)
      if (node.params.length === 0 && node.tails.length === 0) {
        if (!isChild) return
        node = child
        position += child.text.length
        continue
      }
      if (isChild) this.walk(child, position + child.text.length, count)
      for (const edge of node.params) this.#walkParam(edge, position, count)
      for (const tail of node.tails) this.#visitTail(tail, position, count)
      return
    }
  }

  #walkParam({ stops, expression, node }: ParamEdge, position: number, count: number): void {
    if (node.minOrder > this.#limit) return
    const path = this.#path
    const end = spanEnd(path, position, stops)
    if (end === position) return
    const value = path.slice(position, end)
    if (expression !== null && !expression.test(value)) return
    this.#values[count] = value
    this.walk(node, end, count + 1)
  }

  /** Whether the text begins here. */
  #startsWith(text: string, position: number): boolean {
    const path = this.#path
    if (path.startsWith(text, position)) return true
    const isShorter = this.#trimmedLength - position < text.length
    if (isShorter && text.startsWith(path.slice(position, this.#trimmedLength))) this.reachedEnd = true
    return false
  }

  #visitEnds(ends: readonly TreeEnd[], position: number): void {
    const left = this.#path.length - position
    const hasSlash = this.#trimmedLength < this.#path.length
    for (const { entry, names } of ends) {
      if (entry.order > this.#limit || left > 1) continue
      // A slash at the end that the pattern took belongs to it: `/a//{id}` without its `id` is `/a/`.
      const isOwnForm =
        this.#path === '/' || (hasSlash ? entry.hasTrailingSlash || left === 0 : !entry.hasTrailingSlash)
      this.#visit(entry, names, isOwnForm)
    }
  }

  #visitTail({ entry, matcher }: TreeTail, position: number, count: number): void {
    if (entry.order >= this.#limit) return
    const path = this.#path
    this.reachedEnd = true
    let values = matcher.match(path, position)
    if (values === null) return
    const hasSlash = this.#trimmedLength < path.length
    let isOwnForm = path === '/' || entry.hasTrailingSlash === hasSlash
    if (hasSlash && entry.endsInParam && path !== '/') {
      // A parameter at the end may take the slash for itself, `{path<.+>}`; only otherwise is there one too many.
      const last = values.at(-1)
      const isTaken = !entry.hasTrailingSlash && (last === '' || last?.endsWith('/') === true)
      const isOwn = isTaken || position > this.#trimmedLength
      const shorter = isOwn ? null : matcher.match(path.slice(0, this.#trimmedLength), position)
      isOwnForm = shorter === null || entry.hasTrailingSlash
      if (shorter !== null && isOwnForm) values = shorter
    }
    for (let index = 0; index < values.length; index += 1) this.#values[count + index] = values[index]
    this.#visit(entry, entry.names, isOwnForm)
  }

  #visit(entry: RouteEntry, names: readonly string[], isOwnForm: boolean): void {
    if (this.#visitor.visit(entry, names, this.#values, isOwnForm)) this.#limit = entry.order
  }
}

/** Index of the first of `stops` from `position` on, or the end of the path. */
function spanEnd(path: string, position: number, stops: string): number {
  let end = path.length
  for (let index = 0; index < stops.length; index += 1) {
    const found = path.indexOf(stops.charAt(index), position)
    if (found >= 0 && found < end) end = found
  }
  return end
}

/** Length without the slashes at the end; that of `/` stays. */
export function trimmedLength(path: string): number {
  let end = path.length
  while (end > 1 && path.charCodeAt(end - 1) === 47) end -= 1
  return end
}
