// Places the calls of a CPU profile as boxes: callers above what they call, as wide as their share of the time. And adds the
// calls up by function.

import type { CpuData, CpuFunctionData } from '../../collectors/cpu.ts'

/** A call as it is drawn. */
export interface FlameBox {
  readonly called: CpuFunctionData
  /** Parts of the whole, from 0 to 1. */
  readonly left: number
  readonly width: number
  /** Row, from 0. */
  readonly depth: number
  readonly selfMs: number
  readonly totalMs: number
}

/** Where the boxes stand, and what is not among them. */
export interface FlameLayout {
  readonly boxes: readonly FlameBox[]
  readonly rows: number
  /** Calls around the first own one that were left out: every request has them. */
  readonly around: number
  /** Calls that are too short to see, or too deep. */
  readonly hidden: number
}

/** The time of one function, wherever it was called. */
export interface FunctionTime {
  readonly called: CpuFunctionData
  readonly selfMs: number
  /** What it called included; a call inside a call of the same function counts once. */
  readonly totalMs: number
}

const maxBoxes = 700
const maxRows = 60
/** Narrower boxes cannot be seen, as a part of the whole. */
const minWidth = 0.0008

interface Node {
  readonly index: number
  readonly called: CpuFunctionData
  readonly selfMs: number
  readonly totalMs: number
  readonly children: Node[]
  hasOwn: boolean
}

/** Places the calls. */
export function layOutFlame(data: CpuData): FlameLayout {
  const roots = treeOf(data)
  const hasOwn = roots.some((root) => root.hasOwn)
  let around = 0
  const outermost = (nodes: readonly Node[]): Node[] =>
    nodes.flatMap((node) => {
      // Kernel and server stand around own code in every request; what has none below is real work of theirs.
      if (!hasOwn || node.called.origin === 'own' || !node.hasOwn) return [node]
      around += 1
      return outermost(node.children)
    })
  const top = outermost(roots)
  const totalMs = Math.max(data.ownMs, sum(top))
  const boxes: FlameBox[] = []
  let hidden = 0
  let rows = 0
  const place = (nodes: readonly Node[], from: number, depth: number): void => {
    let left = from
    for (const node of nodes.toSorted((one, other) => other.totalMs - one.totalMs)) {
      const width = totalMs > 0 ? node.totalMs / totalMs : 0
      if (width < minWidth || boxes.length >= maxBoxes || depth >= maxRows) hidden += 1
      else {
        const { called, selfMs, totalMs: ms } = node
        boxes.push({ called, left, width, depth, selfMs, totalMs: ms })
        rows = Math.max(rows, depth + 1)
        place(node.children, left, depth + 1)
      }
      left += width
    }
  }
  place(top, 0, 0)
  return { boxes, rows, around, hidden }
}

/** Every function, the one that took most itself first. */
export function functionTimes({ calls, functions }: CpuData): readonly FunctionTime[] {
  const selfMs = functions.map(() => 0)
  const totalMs = functions.map(() => 0)
  for (const [index, { of, selfMs: self, totalMs: total, parent }] of calls.entries()) {
    if (functions[of] === undefined) continue
    selfMs[of] = (selfMs[of] ?? 0) + self
    if (!isInside(calls, parent, index, of)) totalMs[of] = (totalMs[of] ?? 0) + total
  }
  return functions
    .map((called, of) => ({ called, selfMs: selfMs[of] ?? 0, totalMs: totalMs[of] ?? 0 }))
    .filter((time) => time.totalMs > 0)
    .sort((one, other) => other.selfMs - one.selfMs || other.totalMs - one.totalMs)
}

// Callers stand before what they call; a profile that says otherwise is not followed in circles.
function isInside(calls: CpuData['calls'], parent: number, index: number, of: number): boolean {
  let before = index
  for (let at = parent; at >= 0 && at < before; at = calls[at]?.parent ?? -1) {
    if (calls[at]?.of === of) return true
    before = at
  }
  return false
}

function treeOf({ calls, functions }: CpuData): readonly Node[] {
  const roots: Node[] = []
  const nodes: (Node | undefined)[] = []
  for (const [index, { parent, of, selfMs, totalMs }] of calls.entries()) {
    const called = functions[of]
    if (called === undefined) continue
    const node: Node = { index, called, selfMs, totalMs, children: [], hasOwn: called.origin === 'own' }
    nodes[index] = node
    const above = parent < index ? nodes[parent] : undefined
    if (above === undefined) roots.push(node)
    else above.children.push(node)
  }
  for (const [index, node] of [...nodes.entries()].toReversed()) {
    const above = nodes[calls[index]?.parent ?? -1]
    if (node?.hasOwn === true && above !== undefined) above.hasOwn = true
  }
  return roots
}

function sum(nodes: readonly Node[]): number {
  return nodes.reduce((total, node) => total + node.totalMs, 0)
}
