// All routes of a collection made ready for matching: those without parameters by path, all others in a tree.

import { findCandidates, trimSlashes } from './find-candidates.ts'
import type { Candidate } from './find-candidates.ts'
import { RouteEntry } from './route-entry.ts'
import { addToTree, TreeNode } from './route-tree.ts'
import type { Route } from './route.ts'

/** An immutable table, built from the routes in their order. */
export class RouteTable {
  readonly entries: readonly RouteEntry[]
  /** Routes without parameters that no earlier route with parameters could take the path of, by path without slash at its end. */
  readonly statics: ReadonlyMap<string, readonly RouteEntry[]>
  /** Every other route. */
  readonly root: TreeNode = new TreeNode('')
  /** Whether a parameter could take a slash at the end of the path for itself, by its requirement, or a way
   * through a pattern ends with one of its own (`/a//{id}` without its `id`). */
  readonly hasTails: boolean
  /** Whether a path without parameters ends with a slash. */
  readonly hasFixedSlashes: boolean

  constructor(routes: Iterable<Route>) {
    const statics = new Map<string, RouteEntry[]>()
    this.entries = [...routes].map((route, index) => new RouteEntry(route, index))
    for (const entry of this.entries) {
      const path = entry.staticPath
      if (path === null || this.#isOvertaken(path)) addToTree(this.root, entry)
      else {
        const same = statics.get(path)
        if (same === undefined) statics.set(path, [entry])
        else same.push(entry)
      }
    }
    this.statics = statics
    this.hasTails = hasTail(this.root, 0)
    this.hasFixedSlashes = this.entries.some((entry) => entry.staticPath !== null && entry.hasTrailingSlash)
  }

  /** Every route that takes a decoded path, with a slash more or less at its end; the first of the table first. */
  candidates(path: string): Candidate[] {
    const trimmed = trimSlashes(path)
    const statics = this.statics.get(trimmed)
    const found = this.root.weight === 0 ? [] : findCandidates(this.root, path)
    if (statics === undefined) return found
    const isOwnForm = (entry: RouteEntry): boolean => path === '/' || entry.hasTrailingSlash === (trimmed !== path)
    return [...statics.map((entry) => ({ entry, names: [], values: [], isOwnForm: isOwnForm(entry) })), ...found]
  }

  #isOvertaken(path: string): boolean {
    if (this.root.weight === 0) return false
    return findCandidates(this.root, path).length > 0 || findCandidates(this.root, `${path}/`).length > 0
  }
}

function hasTail(node: TreeNode, depth: number): boolean {
  if (node.tails.some((tail) => tail.expression !== null)) return true
  const isRootPath = depth === 1 && node.text === '/'
  if (node.ends.length > 0 && node.text.endsWith('/') && !isRootPath) return true
  return [...node.children.values(), ...node.params.map((edge) => edge.node)].some((next) => hasTail(next, depth + 1))
}
