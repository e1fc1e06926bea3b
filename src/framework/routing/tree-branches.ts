// The ways to go on from a place in the tree, and which of them may take a path away from each other.

import type { ParamEdge, TreeEnd, TreeNode, TreeTail } from './route-tree.ts'

/** One of the ways to go on from a node. */
export interface Branch {
  readonly kind: 'ends' | 'children' | 'param' | 'tail'
  /** The lowest order that can be found on it. */
  readonly order: number
  readonly nodes: readonly TreeNode[]
  readonly ends: readonly TreeEnd[]
  readonly edge?: ParamEdge
  readonly tail?: TreeTail
}

/** The ways to go on, the one with the lowest order first. */
export function branchesOf(node: TreeNode): readonly Branch[] {
  const branches: Branch[] = []
  const [firstEnd] = node.ends
  if (firstEnd !== undefined) branches.push({ kind: 'ends', order: firstEnd.entry.order, nodes: [], ends: node.ends })
  if (node.children.size > 0) {
    const nodes = [...node.children.values()]
    branches.push({ kind: 'children', order: Math.min(...nodes.map((child) => child.minOrder)), nodes, ends: [] })
  }
  for (const edge of node.params)
    branches.push({ kind: 'param', order: edge.node.minOrder, nodes: [edge.node], ends: [], edge })
  for (const tail of node.tails) branches.push({ kind: 'tail', order: tail.entry.order, nodes: [], ends: [tail], tail })
  return branches.length > 1 ? branches.sort((one, other) => one.order - other.order) : branches
}

/** Whether a match may have to wait for a branch that goes before it; `pending` is the lowest order outside of the tree. */
export function hasRivals(node: TreeNode, pending: number): boolean {
  const branches = branchesOf(node)
  return branches.some(({ nodes, ends }, index) => {
    const own = Math.min(pending, branches[index + 1]?.order ?? Infinity)
    return ends.some(({ entry }) => entry.order > own) || nodes.some((inner) => hasRivals(inner, own))
  })
}
