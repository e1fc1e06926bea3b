// Tells from the source whether an `await` needs the result of an earlier one. In doubt it does.

import type * as t from '@babel/types'
import type { SourceTree } from '../../errors/origins/source-tree.ts'
import { isFunction, isMember, patternNames, visit, type Node } from '../../errors/origins/syntax.ts'

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
  if (parent === undefined || outermost === undefined || !others.every((other) => isWithin(other, outermost)))
    return undefined
  return { node: outermost, statement, list: parent.body, index: parent.body.indexOf(statement as t.Statement) }
}

function isWithin({ end }: Node, outer: Node): boolean {
  return (end ?? 0) <= (outer.end ?? 0)
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
