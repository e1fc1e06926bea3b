// Walks the tree for one path.

import type { RouteEntry } from './route-entry.ts'
import { childOf, noOrder, type ParamEdge, type TreeNode, type TreeTail } from './route-tree.ts'
import { maxSteps, runProgram, type Budget } from './run-program.ts'

/** A route that matches the path. */
export interface PathMatch {
  readonly entry: RouteEntry
  /** Whether the slash at the end of the path is there, or not there, as in the pattern. */
  readonly isOwnForm: boolean
}

/** The search for one decoded path. A plain object, because one is made for every request. */
export interface TreeSearch extends Budget {
  readonly path: string
  /** Length of the path without the slashes at its end. */
  readonly trimmedLength: number
  /** Where the parameters on the way begin and end; -1 for those that are left out. */
  readonly spans: number[]
  /** Order of the final match. */
  limit: number
  /** Whether the path was followed to its end, but for slashes: only then could another number of them match something else. */
  reachedEnd: boolean
  /**
   * Is shown a route that matches the path, in the order of the tree; `names` are those of the spans. Gives whether the match is final,
   * so that routes after it need not be shown.
   */
  visit(entry: RouteEntry, names: readonly string[], isOwnForm: boolean): boolean
}

/** Every route of a tree that matches a decoded path, with a slash more or less at its end; the first of the table first. */
export function findMatches(root: TreeNode, path: string, budget: Budget = { steps: maxSteps }): readonly PathMatch[] {
  const found: PathMatch[] = []
  const search: TreeSearch = {
    path,
    trimmedLength: trimmedLength(path),
    spans: [],
    limit: noOrder,
    reachedEnd: false,
    steps: budget.steps,
    visit: (entry, _names, isOwnForm) => {
      found.push({ entry, isOwnForm })
      return false
    },
  }
  walkTree(search, root, 0, 0)
  budget.steps = search.steps
  return found.sort((one, other) => one.entry.order - other.entry.order)
}

/** From a node on, at a position of the path, behind `count` parameters. One way leads to each node, so each is passed at most once. */
export function walkTree(search: TreeSearch, from: TreeNode, start: number, count: number): void {
  const { path, trimmedLength } = search
  const { length } = path
  let node = from
  let position = start
  while (node.minOrder <= search.limit) {
    const { params, tails } = node
    if (position >= trimmedLength) {
      search.reachedEnd = true
      if (node.ends.length > 0) visitEnds(search, node, position)
    }
    let child = position < length ? childOf(node, path.charCodeAt(position)) : undefined
    let behind = position + 1
    if (child !== undefined) {
      const { text } = child
      const end = position + text.length
      while (behind < end && behind < length && text.charCodeAt(behind - position) === path.charCodeAt(behind))
        behind += 1
      if (behind < end) {
        if (behind >= trimmedLength) search.reachedEnd = true
        child = undefined
      }
    }
    if (params.length === 0 && tails.length === 0) {
      if (child === undefined) return
      node = child
      position = behind
      continue
    }
    if (child !== undefined) walkTree(search, child, behind, count)
    for (const edge of params) walkParam(search, edge, position, count)
    for (const tail of tails) visitTail(search, tail, position, count)
    return
  }
}

function walkParam(search: TreeSearch, { stops, program, node }: ParamEdge, position: number, count: number): void {
  if (node.minOrder > search.limit) return
  const { path } = search
  const end = spanEnd(path, position, stops)
  if (end === position) return
  if (program !== null && runProgram(program, path, position, end, search) === null) {
    search.reachedEnd ||= end >= search.trimmedLength
    return
  }
  search.spans[2 * count] = position
  search.spans[2 * count + 1] = end
  walkTree(search, node, end, count + 1)
}

function visitEnds(search: TreeSearch, { ends }: TreeNode, position: number): void {
  const { path, trimmedLength } = search
  const hasSlash = trimmedLength < path.length
  for (const { entry, names } of ends) {
    if (entry.order > search.limit) continue
    if (entry.isFirst ? position > trimmedLength : position < path.length - 1) continue
    // A slash at the end that the pattern matched belongs to it: `/a//{id}` without its `id` is `/a/`.
    const isOwnSlash = entry.hasTrailingSlash || position > trimmedLength
    show(search, entry, names, hasSlash ? isOwnSlash : !entry.hasTrailingSlash)
  }
}

function visitTail(search: TreeSearch, { entry, program }: TreeTail, position: number, count: number): void {
  if (entry.order >= search.limit) return
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
  for (const [index, place] of slots.entries()) search.spans[2 * count + index] = place
  show(search, entry, entry.names, isOwnForm)
}

function show(search: TreeSearch, entry: RouteEntry, names: readonly string[], isOwnForm: boolean): void {
  if (search.visit(entry, names, isOwnForm || search.path === '/')) search.limit = entry.order
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

const slash = 0x2f

/** Length without the slashes at the end; that of `/` stays. */
export function trimmedLength(path: string): number {
  let end = path.length
  while (end > 1 && path.charCodeAt(end - 1) === slash) end -= 1
  return end
}
