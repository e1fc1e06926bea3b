// Queries and outgoing requests that were waited for one after another, although the second does not need the first.

import type * as t from '@babel/types'
import { readTree, type SourceTree } from '../../errors/source/source-tree.ts'
import { SourceFiles } from '../../errors/source-files.ts'
import { remembered } from '../call-site.ts'
import type { RecordedOutgoing, RecordedParts, RecordedQuery } from '../request-record.ts'
import { isFunction, isMember, patternNames, visit, type Node } from '../../errors/source/syntax.ts'

/** Two places of one function whose waits could run side by side. */
export interface SequentialWait {
  /** `src/orders.ts:12` */
  readonly first: string
  readonly second: string
  /** How often it happened. */
  readonly count: number
  /** Milliseconds that the request would have been faster: the sum of the shorter waits. */
  readonly savedMs: number
}

/** Shorter waits are not worth a change, in milliseconds. */
const worthMs = 2
/** The second wait begins at most so long after the first has ended, in milliseconds. */
const maxGapMs = 5
const maxWaits = 10

interface Wait {
  readonly callSite: string
  readonly startMs: number
  readonly endMs: number
  readonly isRead: boolean
}

/** Reads the source of one project. */
export class SequentialWaits {
  readonly #files: SourceFiles
  readonly #verdicts = new Map<string, boolean>()

  /** `projectRoot` is absolute. */
  constructor(projectRoot: string) {
    this.#files = new SourceFiles(projectRoot)
  }

  /** The most expensive ones, at most ten. */
  find({ queries, outgoing }: Pick<RecordedParts, 'queries' | 'outgoing'>): readonly SequentialWait[] {
    const waits = [...queryWaits(queries?.queries ?? []), ...requestWaits(outgoing?.calls ?? [])]
    waits.sort((one, other) => one.startMs - other.startMs)
    const found = new Map<string, SequentialWait>()
    for (const [index, second] of waits.entries()) {
      const first = waits[index - 1]
      if (first === undefined || !isOneAfterAnother(first, second)) continue
      const key = `${first.callSite} ${second.callSite}`
      const savedMs = Math.min(first.endMs - first.startMs, second.endMs - second.startMs)
      if (savedMs < worthMs || !this.#areIndependent(key, first.callSite, second.callSite)) continue
      const known = found.get(key)
      found.set(key, {
        first: first.callSite,
        second: second.callSite,
        count: (known?.count ?? 0) + 1,
        savedMs: (known?.savedMs ?? 0) + savedMs,
      })
    }
    return [...found.values()].sort((one, other) => other.savedMs - one.savedMs).slice(0, maxWaits)
  }

  #areIndependent(key: string, first: string, second: string): boolean {
    return remembered(this.#verdicts, key, () => {
      const [one, other] = [placeOf(first), placeOf(second)]
      const file = one.file === other.file && one.line < other.line ? this.#files.read(one.file) : null
      // A line of a file that has changed since it was loaded says nothing about the code that ran.
      const tree = file === null || file.changedSince !== null ? null : readTree(file)
      return tree !== null && areIndependent(tree, one.line, other.line)
    })
  }
}

/** What changes data may have to wait for what was read. */
function isOneAfterAnother(first: Wait, second: Wait): boolean {
  const gapMs = second.startMs - first.endMs
  return first.isRead && second.isRead && first.callSite !== second.callSite && gapMs >= 0 && gapMs <= maxGapMs
}

/** None of a request with a transaction, whose queries share one connection, and none of drivers that block while they query. */
function queryWaits(queries: readonly RecordedQuery[]): readonly Wait[] {
  if (queries.some(({ text }) => /^\s*(?:begin|start\s+transaction|multi)\b/i.test(text))) return []
  return queries
    .filter(({ library }) => library !== 'node:sqlite' && library !== 'better-sqlite3')
    .flatMap(({ callSite, startMs, durationMs, error, text }) => {
      const isRead = /^\s*(?:select|with|find|findone|aggregate|count\w*|distinct|m?get|hm?get\w*|exists)\b/i.test(text)
      return waitOf({ callSite, startMs, durationMs, isRead: isRead && error === null })
    })
}

function requestWaits(calls: readonly RecordedOutgoing[]): readonly Wait[] {
  return calls.flatMap(({ callSite, startMs, durationMs, error, method }) =>
    waitOf({ callSite, startMs, durationMs, isRead: error === null && (method === 'GET' || method === 'HEAD') }),
  )
}

function waitOf(given: {
  readonly callSite: string | null
  readonly startMs: number
  readonly durationMs: number | null
  readonly isRead: boolean
}): readonly Wait[] {
  const { callSite, startMs, durationMs, isRead } = given
  return callSite === null || durationMs === null ? [] : [{ callSite, startMs, endMs: startMs + durationMs, isRead }]
}

function placeOf(callSite: string): { readonly file: string; readonly line: number } {
  const [, file = '', line = '0'] = /^(.*):(\d+)$/.exec(callSite) ?? []
  return { file, line: Number(line) }
}

/** An `await` in a list of statements. */
interface AwaitPlace {
  readonly node: Node
  readonly statement: Node
  readonly list: readonly Node[]
  readonly index: number
}

/**
 * Whether the call in the line `second` could have begun together with that in the line `first`: both are awaited in one list of
 * statements, nothing but declarations is between them, and the second uses none of what the first declares. Lines are counted from 1.
 */
export function areIndependent(tree: SourceTree, first: number, second: number): boolean {
  const one = awaitAt(tree, first)
  const other = awaitAt(tree, second)
  if (one === undefined || other === undefined || one.list !== other.list || one.index >= other.index) return false
  const names = declaredNames(one.statement)
  if (names === undefined) return false
  for (const between of one.list.slice(one.index + 1, other.index)) {
    const declared = declaredNames(between)
    if (declared === undefined || awaitsIn(between).length > 0) return false
    if (mentions(between, names)) for (const name of declared) names.add(name)
  }
  return !mentions(other.node, names)
}

/** The outermost `await` of its statement, around the line and every other one; `undefined` without one, or if the line is in a function within it. */
function awaitAt(tree: SourceTree, line: number): AwaitPlace | undefined {
  let node: t.AwaitExpression | undefined
  visit(tree.program, (inner) => {
    if (inner.loc === undefined || inner.loc === null) return true
    if (inner.loc.start.line > line || inner.loc.end.line < line) return false
    if (inner.type === 'AwaitExpression') node = inner
    else if (isFunction(inner) && inner.loc.start.line < line) node = undefined
    return true
  })
  if (node === undefined) return undefined
  let statement: Node = node
  let parent = tree.parentOf(statement)
  while (parent !== undefined && parent.type !== 'BlockStatement' && parent.type !== 'Program') {
    if (isFunction(parent)) return undefined
    statement = parent
    parent = tree.parentOf(statement)
  }
  const [outermost, ...others] = awaitsIn(statement)
  if (parent === undefined || outermost === undefined) return undefined
  if (others.some(({ end }) => (end ?? 0) > (outermost.end ?? 0))) return undefined
  return { node: outermost, statement, list: parent.body, index: parent.body.indexOf(statement as t.Statement) }
}

/** Those of a statement itself, without functions in it. */
function awaitsIn(statement: Node): readonly Node[] {
  const found: Node[] = []
  visit(statement, (node) => {
    if (node.type === 'AwaitExpression') found.push(node)
    return !isFunction(node)
  })
  return found
}

/** Names that a statement declares or assigns; `undefined` if it may do anything else. */
function declaredNames(statement: Node): Set<string> | undefined {
  if (statement.type === 'VariableDeclaration')
    return new Set(statement.declarations.flatMap(({ id }) => patternNames(id)))
  if (statement.type !== 'ExpressionStatement' || statement.expression.type !== 'AssignmentExpression') return undefined
  const { left } = statement.expression
  return left.type === 'Identifier' ? new Set([left.name]) : undefined
}

/** Whether any of the names is read in it; one of a nested scope counts as well. */
function mentions(node: Node, names: ReadonlySet<string>): boolean {
  let isFound = false
  visit(node, (inner, parent) => {
    const isProperty = parent !== undefined && isMember(parent) && parent.property === inner && !parent.computed
    const isKey = parent?.type === 'ObjectProperty' && parent.key === inner && !parent.computed && !parent.shorthand
    if (inner.type === 'Identifier' && !isProperty && !isKey && names.has(inner.name)) isFound = true
    return !isFound
  })
  return isFound
}
