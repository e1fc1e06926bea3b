// The route table as a tree over the characters of paths: what several paths begin with is compared once.

import type { ParamToken } from './path-pattern.ts'
import { compileExpression, compilePattern, type Program } from './program.ts'
import { canHold, leastLength, parseRegex } from './regex-syntax.ts'
import type { RouteEntry } from './route-entry.ts'

/** A way through the path of a route ends here. */
interface TreeEnd {
  readonly entry: RouteEntry
  /** Names of the parameters on the way, in order. */
  readonly names: readonly string[]
}

/** The rest of the path belongs to parameters that no separator tells apart. */
export interface TreeTail {
  readonly entry: RouteEntry
  readonly program: Program
}

/** A parameter of at least one character, up to the first of `stops` or the end of the path. */
export interface ParamEdge {
  readonly stops: string
  readonly source: string
  /** What the value must match; `null` for anything. */
  readonly program: Program | null
  readonly node: TreeNode
}

/** Greater than every order; a small integer, which V8 keeps in the object. */
export const noOrder = 0x3fff_ffff

/** A place in the tree, behind `text`. */
export class TreeNode {
  text: string
  /** By the code of the first character of their text, from `lowest` on. */
  children: (TreeNode | undefined)[] = []
  lowest = 0
  params: ParamEdge[] = []
  ends: TreeEnd[] = []
  tails: TreeTail[] = []
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
  const names: string[] = []
  let node = root
  root.minOrder = Math.min(root.minOrder, order)
  for (const [index, token] of tokens.entries()) {
    if (index === tail) break
    if (index >= firstOptional && index > 0) node.ends.push({ entry, names: [...names] })
    if (token.kind === 'text') node = addText(node, token.text, order)
    else {
      node = addText(node, token.separator, order)
      // A path is never empty: the separator stays when its only parameter is left out.
      if (firstOptional === 0) node.ends.push({ entry, names: [] })
      const { stops, source } = spanOf(entry, token, index) ?? { stops: '/', source: '' }
      node = addParam(node, stops, source, order)
      names.push(token.name)
    }
  }
  if (tail === null) node.ends.push({ entry, names })
  else node.tails.push({ entry, program: compilePattern(tokens, { from: tail, firstOptional, mayEndInSlash: true }) })
}

function addText(from: TreeNode, text: string, order: number): TreeNode {
  let node = from
  let rest = text
  while (rest !== '') {
    const code = rest.charCodeAt(0)
    const child = childOf(node, code)
    if (child === undefined) {
      const added = new TreeNode(rest, order)
      setChild(node, added)
      return added
    }
    const shared = sharedLength(child.text, rest)
    const next = shared < child.text.length ? split(child, shared) : child
    setChild(node, next)
    next.minOrder = Math.min(next.minOrder, order)
    node = next
    rest = rest.slice(shared)
  }
  return node
}

/** The child whose text begins with this character. */
export function childOf({ children, lowest }: TreeNode, code: number): TreeNode | undefined {
  return code < lowest ? undefined : children[code - lowest]
}

function setChild(node: TreeNode, child: TreeNode): void {
  const code = child.text.charCodeAt(0)
  if (node.children.length === 0) node.lowest = code
  const missing = Math.max(0, node.lowest - code)
  node.children.unshift(...Array.from({ length: missing }, () => undefined))
  node.lowest -= missing
  node.children[code - node.lowest] = child
}

/** Puts a node in front of `child` for the first `length` characters of its text. */
function split(child: TreeNode, length: number): TreeNode {
  const head = new TreeNode(child.text.slice(0, length), child.minOrder)
  child.text = child.text.slice(length)
  setChild(head, child)
  return head
}

function addParam(node: TreeNode, stops: string, source: string, order: number): TreeNode {
  const same = node.params.find((edge) => edge.stops === stops && edge.source === source)
  if (same !== undefined) {
    same.node.minOrder = Math.min(same.node.minOrder, order)
    return same.node
  }
  const added = new TreeNode('', order)
  node.params.push({ stops, source, program: source === '' ? null : compileExpression(source), node: added })
  return added
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
