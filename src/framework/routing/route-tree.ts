// The table as a tree of characters: what several paths begin with is compared once. It knows paths only; hosts, methods
// and the rest are looked at by whoever asks for the routes that take a path.

import { expandRoute } from './expansions.ts'
import type { Step } from './expansions.ts'
import { wholeMatch } from './regular-expression.ts'
import type { RouteEntry } from './route-entry.ts'
import { tailExpression } from './route-expression.ts'

/** A way through the path of a route ends here. */
export interface TreeEnd {
  readonly entry: RouteEntry
  /** Names of the parameters passed on the way, in order. */
  readonly names: readonly string[]
}

/** The rest of the path belongs to an expression, or as a whole to the last parameter where it is `null`. */
export interface TreeTail extends TreeEnd {
  readonly expression: RegExp | null
}

/** A parameter that spans at least one character up to one of `stops`. */
export interface ParamEdge {
  readonly stops: string
  readonly source: string
  /** What the span must match; `null` for anything. */
  readonly expression: RegExp | null
  readonly node: TreeNode
}

/** A place in the tree, behind `text`. */
export class TreeNode {
  text: string
  /** By the code of the first character of their text. */
  children: Map<number, TreeNode> = new Map()
  params: ParamEdge[] = []
  /** In the order of the table, as all lists here. */
  ends: TreeEnd[] = []
  tails: TreeTail[] = []
  /** The lowest order of all routes here and below. */
  minOrder: number = Infinity
  /** How many ends and tails are here and below. */
  weight = 0

  constructor(text: string) {
    this.text = text
  }
}

/** Adds every way through the path of a route. Routes must come in the order of the table. */
export function addToTree(root: TreeNode, entry: RouteEntry): void {
  for (const { steps, names } of expandRoute(entry)) addSteps(root, steps, { entry, names })
}

function addSteps(root: TreeNode, steps: readonly Step[], end: TreeEnd): void {
  let node = root
  touch(node, end)
  for (const step of joinTexts(steps)) {
    if (step.kind === 'tail') {
      const { tokens, firstOptional } = end.entry
      node.tails.push({ ...end, expression: tailExpression(tokens, step.from, firstOptional) })
      return
    }
    if (step.kind === 'rest') {
      node.tails.push({ ...end, expression: null })
      return
    }
    node = step.kind === 'text' ? addText(node, step.text, end) : addParam(node, step.stops, step.source)
    touch(node, end)
  }
  node.ends.push(end)
}

function touch(node: TreeNode, { entry }: TreeEnd): void {
  node.minOrder = Math.min(node.minOrder, entry.order)
  node.weight += 1
}

function addText(from: TreeNode, text: string, end: TreeEnd): TreeNode {
  let node = from
  let rest = text
  while (rest !== '') {
    const code = rest.charCodeAt(0)
    const child = node.children.get(code)
    if (child === undefined) {
      const added = new TreeNode(rest)
      node.children.set(code, added)
      return added
    }
    const shared = sharedLength(child.text, rest)
    if (shared < child.text.length) node.children.set(code, split(child, shared))
    node = node.children.get(code) ?? child
    rest = rest.slice(shared)
    if (rest !== '') touch(node, end)
  }
  return node
}

/** Puts a node in front of `child` for the first `length` characters of its text. */
function split(child: TreeNode, length: number): TreeNode {
  const head = new TreeNode(child.text.slice(0, length))
  child.text = child.text.slice(length)
  head.children.set(child.text.charCodeAt(0), child)
  head.minOrder = child.minOrder
  head.weight = child.weight
  return head
}

function addParam(node: TreeNode, stops: string, source: string): TreeNode {
  const same = node.params.find((edge) => edge.stops === stops && edge.source === source)
  if (same !== undefined) return same.node
  const added = new TreeNode('')
  node.params.push({ stops, source, expression: source === '' ? null : wholeMatch(source), node: added })
  return added
}

function sharedLength(one: string, other: string): number {
  const limit = Math.min(one.length, other.length)
  let length = 0
  while (length < limit && one.charCodeAt(length) === other.charCodeAt(length)) length += 1
  return length
}

function joinTexts(steps: readonly Step[]): Step[] {
  const joined: Step[] = []
  for (const step of steps) {
    const last = joined.at(-1)
    if (step.kind === 'text' && last?.kind === 'text')
      joined[joined.length - 1] = { kind: 'text', text: last.text + step.text }
    else joined.push(step)
  }
  return joined
}
