// Walks the tree and gathers every route that takes a path, in the order of the table. The plain twin of the compiled code.

import type { RouteEntry } from './route-entry.ts'
import type { TreeEnd, TreeNode, TreeTail } from './route-tree.ts'

/** A route that takes the path. */
export interface Candidate {
  readonly entry: RouteEntry
  /** Names and still undecoded values of its parameters, in pairs of the same index. */
  readonly names: readonly string[]
  readonly values: readonly (string | undefined)[]
  /** Whether the path is the route's own form: the slash at the end is there, or not there, as in its pattern. */
  readonly isOwnForm: boolean
}

/** Every route of the tree that takes the path, with a slash more or less at its end; the first of the table first. */
export function findCandidates(root: TreeNode, path: string): Candidate[] {
  const found: Candidate[] = []
  const trimmed = trimSlashes(path)
  const values: string[] = []

  const takeEnd = ({ entry, names }: TreeEnd, rest: number): void => {
    // A slash at the end that the pattern took belongs to it: `/a//{id}` without its `id` is `/a/`.
    const hasOwnSlash = rest === 0 || entry.hasTrailingSlash
    const isOwnForm = path === '/' || (trimmed === path ? !entry.hasTrailingSlash : hasOwnSlash)
    found.push({ entry, names, values: values.slice(), isOwnForm })
  }

  const takeTail = (tail: TreeTail, position: number): void => {
    const { entry, names, expression } = tail
    if (expression === null) {
      if (position === path.length) return
      found.push({ entry, names, values: [...values, path.slice(position)], isOwnForm: true })
      return
    }
    if (path.length - position > entry.maxTailLength) return
    expression.lastIndex = position
    const groups = expression.exec(path)
    if (groups === null) return
    const { isOwnForm, own } = ownForm(tail, groups, { path, trimmed, position })
    found.push({ entry, names, values: [...values, ...groupValues(own)], isOwnForm })
  }

  const walk = (node: TreeNode, position: number): void => {
    const rest = path.length - position
    if (node.ends.length > 0 && (rest === 0 || (rest === 1 && path.endsWith('/'))))
      for (const end of node.ends) takeEnd(end, rest)
    const child = node.children.get(path.charCodeAt(position))
    if (child !== undefined && path.startsWith(child.text, position)) walk(child, position + child.text.length)
    for (const edge of node.params) {
      const end = spanEnd(path, position, edge.stops)
      if (end === position) continue
      const value = path.slice(position, end)
      if (edge.expression !== null && !edge.expression.test(value)) continue
      values.push(value)
      walk(edge.node, end)
      values.pop()
    }
    for (const tail of node.tails) takeTail(tail, position)
  }

  walk(root, 0)
  return found.sort((one, other) => one.entry.order - other.entry.order)
}

/** Values of groups; one that was passed over in front of another is empty, one at the end is missing. */
function groupValues(groups: RegExpExecArray): (string | undefined)[] {
  const last = groups.findLastIndex((value) => value !== undefined)
  return groups.slice(1).map((value, index) => (value === undefined && index + 1 < last ? '' : value))
}

/** Index of the first of `stops` from `position` on, or the end of the path. */
export function spanEnd(path: string, position: number, stops: string): number {
  let end = position
  while (end < path.length && !stops.includes(path.charAt(end))) end += 1
  return end
}

/** The path without the slashes at its end; `/` stays. */
export function trimSlashes(path: string): string {
  let end = path.length
  while (end > 1 && path.charCodeAt(end - 1) === 47) end -= 1
  return end === path.length ? path : path.slice(0, end)
}

interface Spot {
  readonly path: string
  readonly trimmed: string
  readonly position: number
}

/** A parameter at the end may take the last slash for itself: `{path<.+>}`. Only then is there no slash too many. */
function ownForm(
  { entry, expression }: TreeTail,
  groups: RegExpExecArray,
  { path, trimmed, position }: Spot,
): { isOwnForm: boolean; own: RegExpExecArray } {
  if (path === '/') return { isOwnForm: true, own: groups }
  const hasSlash = trimmed !== path
  if (!hasSlash || !entry.endsInParam) return { isOwnForm: entry.hasTrailingSlash === hasSlash, own: groups }
  const last = groups.at(-1)
  const mayEndBefore = entry.hasTrailingSlash || last === undefined || (last !== '' && !last.endsWith('/'))
  if (!mayEndBefore || expression === null) return { isOwnForm: true, own: groups }
  expression.lastIndex = position
  const shorter = position <= trimmed.length ? expression.exec(trimmed) : null
  if (shorter === null) return { isOwnForm: true, own: groups }
  return entry.hasTrailingSlash ? { isOwnForm: true, own: shorter } : { isOwnForm: false, own: groups }
}
