// Questions about functions and classes of a syntax tree.

import type * as t from '@babel/types'
import type { Place } from './project-sources.ts'
import type { SourceTree } from '../errors/source/source-tree.ts'
import { covers, isCall, isFunction, isMember, nameOfKey, propertyOf, visit } from '../errors/source/syntax.ts'
import type { CallNode, FunctionNode, Node } from '../errors/source/syntax.ts'

/** Every value that `this.key` gets in a class, in its constructor first. */
export function membersSet(tree: SourceTree, owner: Node, key: string): Node[] {
  return tree.assignments.flatMap(({ left, right }) => {
    const isOwn = isMember(left) && left.object.type === 'ThisExpression' && propertyOf(left) === key
    return isOwn && tree.around(left, isClass) === owner ? [right] : []
  })
}

export function isClass(node: Node): node is t.ClassDeclaration | t.ClassExpression {
  return node.type === 'ClassDeclaration' || node.type === 'ClassExpression'
}

/** Those of the objects among some nodes. */
export function propertiesOf(nodes: readonly Node[]): readonly t.ObjectProperty[] {
  const all = nodes.flatMap((one) => (one.type === 'ObjectExpression' ? one.properties : []))
  return all.filter((one) => one.type === 'ObjectProperty')
}

/** The call that a function is written into, as a callback. */
export function callAround(tree: SourceTree, node: FunctionNode): CallNode | undefined {
  const parent = tree.parentOf(node)
  return parent !== undefined && isCall(parent) && parent.callee !== node ? parent : undefined
}

/** The name under which a function is called. */
export function nameOfFunction(tree: SourceTree, node: FunctionNode): string | null {
  if ('id' in node && node.id) return node.id.name
  if ('key' in node) return nameOfKey(node.key)
  const parent = tree.parentOf(node)
  if (parent?.type === 'VariableDeclarator' && parent.id.type === 'Identifier') return parent.id.name
  if (parent?.type === 'AssignmentExpression' && isMember(parent.left)) return propertyOf(parent.left)
  return parent?.type === 'ObjectProperty' || parent?.type === 'ClassProperty' ? nameOfKey(parent.key) : null
}

/** The values that a function returns; not those of functions inside it. */
export function returnsOf(node: FunctionNode): Node[] {
  return node.body.type === 'BlockStatement'
    ? returnStatements(node).flatMap(({ argument }) => (argument ? [argument] : []))
    : [node.body]
}

export function returnStatements(owner: FunctionNode): t.ReturnStatement[] {
  return nodesIn(owner.body, (node) => node.type === 'ReturnStatement')
}

/** Goes through a function's own code, without the functions inside it. */
export function visitOwn(owner: FunctionNode, see: (node: Node) => void): void {
  visit(owner.body, (node) => {
    see(node)
    return !isFunction(node) && !isClass(node)
  })
}

export function isInside(node: Node, inner: Node): boolean {
  return (node.start ?? 0) <= (inner.start ?? 0) && (inner.end ?? 0) <= (node.end ?? 0)
}

/** Nodes of a kind in a node, not those of functions inside it. */
export function nodesIn<Kind extends Node>(root: Node, isIt: (node: Node) => node is Kind): Kind[] {
  const found: Kind[] = []
  visit(root, (node) => {
    if (isIt(node)) found.push(node)
    return !isFunction(node)
  })
  return found
}

/** Where a function is named as a value, and neither called, declared nor imported: `[load, check]`, `on('end', this.close)`. */
export function usesOfName(trees: Iterable<SourceTree>, name: string): Place[] {
  const found: Place[] = []
  for (const tree of trees) {
    visit(tree.program, (node, parent) => {
      const isNamed = isMember(node) ? propertyOf(node) === name : node.type === 'Identifier' && node.name === name
      if (isNamed && parent !== undefined && isValueOf(parent, node)) found.push({ tree, node })
      return node.type !== 'ImportDeclaration'
    })
  }
  return found
}

function isValueOf(parent: Node, node: Node): boolean {
  if (parent.type === 'CallExpression' || parent.type === 'NewExpression') return parent.callee !== node
  if (parent.type === 'VariableDeclarator') return parent.init === node
  if (parent.type === 'AssignmentExpression') return parent.right === node
  return parent.type === 'ArrayExpression' || (parent.type === 'ObjectProperty' && parent.value === node)
}

/** The innermost statement of a function around a place, or the expression that an arrow function is. */
export function statementIn({ body }: FunctionNode, offset: number): Node {
  let found: Node = body
  visit(body, (inner) => {
    const isAround = covers(inner, offset)
    if (isAround && /(?:Statement|Declaration)$/.test(inner.type) && inner.type !== 'BlockStatement') found = inner
    return isAround
  })
  return found
}
