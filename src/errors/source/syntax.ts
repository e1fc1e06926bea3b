// What is asked of single nodes of a syntax tree.

import type * as t from '@babel/types'

export type Node = t.Node
export type FunctionNode = t.Function
export type CallNode = t.CallExpression | t.OptionalCallExpression | t.NewExpression

/** Goes through a tree, outer nodes first; `enter` says whether to go into a node. Without recursion: code may be nested deeply. */
export function visit(root: Node, enter: (node: Node, parent: Node | undefined) => boolean): void {
  const nodes = [root]
  const parents: (Node | undefined)[] = [undefined]
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (!enter(node, parents.pop())) continue
    const start = nodes.length
    // `Object.values` takes twice as long.
    for (const key in node) {
      const value: unknown = node[key as keyof Node]
      if (Array.isArray(value)) {
        for (const one of value) if (isNode(one)) nodes.push(one)
      } else if (isNode(value)) nodes.push(value)
    }
    while (parents.length < nodes.length) parents.push(node)
    // The first one is taken next.
    for (let low = start, high = nodes.length - 1; low < high; low += 1, high -= 1) {
      const first = nodes[low] as Node
      nodes[low] = nodes[high] as Node
      nodes[high] = first
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string'
}

/** Whether a place in the text is in a node. */
export function covers({ start, end }: Node, offset: number): boolean {
  return (start ?? 0) <= offset && offset < (end ?? 0)
}

export function isFunction(node: Node): node is FunctionNode {
  return functionTypes.has(node.type)
}

const functionTypes: ReadonlySet<string> = new Set(
  'FunctionDeclaration FunctionExpression ArrowFunctionExpression ObjectMethod ClassMethod ClassPrivateMethod'.split(
    ' ',
  ),
)

export function isScope(node: Node): node is Node {
  return isFunction(node) || scopeTypes.has(node.type)
}

const scopeTypes: ReadonlySet<string> = new Set(
  'Program BlockStatement ForStatement ForOfStatement ForInStatement SwitchStatement StaticBlock'.split(' '),
)

export function isCall(node: Node): node is CallNode {
  return node.type === 'CallExpression' || node.type === 'OptionalCallExpression' || node.type === 'NewExpression'
}

export function isMember(node: Node): node is t.MemberExpression | t.OptionalMemberExpression {
  return node.type === 'MemberExpression' || node.type === 'OptionalMemberExpression'
}

export function isText(node: Node): node is t.StringLiteral | t.TemplateLiteral {
  return node.type === 'StringLiteral' || node.type === 'TemplateLiteral'
}

/** The name of a key that is written out: `total`, `'total'`, `#total`; `null` for a computed one. */
export function nameOfKey(key: Node): string | null {
  if (key.type === 'Identifier') return key.name
  if (key.type === 'StringLiteral') return key.value
  if (key.type === 'NumericLiteral') return String(key.value)
  return key.type === 'PrivateName' ? `#${key.id.name}` : null
}

/** The property that a member expression reads; `null` for a computed one. */
export function propertyOf(node: t.MemberExpression | t.OptionalMemberExpression): string | null {
  if (!node.computed) return nameOfKey(node.property)
  return node.property.type === 'StringLiteral' ? node.property.value : null
}

export function patternNames(pattern: Node): string[] {
  const names: string[] = []
  visit(pattern, (node, parent) => {
    const isKey = parent?.type === 'ObjectProperty' && parent.key === node && !parent.shorthand
    if (node.type === 'Identifier' && !isKey) names.push(node.name)
    return node.type !== 'TSTypeAnnotation'
  })
  return names
}

/** From 1. */
export function lineOf(node: Node): number {
  return node.loc?.start.line ?? 1
}

/** The line of the name that is called or read, as V8 names it: in a chain over several lines not where the chain begins. */
export function placeLine(node: Node): number {
  const named = isCall(node) ? node.callee : node
  return isMember(named) ? lineOf(named.property) : lineOf(node)
}

/** A value without what types and parentheses put around it. */
export function bare(node: Node): Node {
  let inner = node
  while (
    inner.type === 'TSAsExpression' ||
    inner.type === 'TSSatisfiesExpression' ||
    inner.type === 'TSNonNullExpression' ||
    inner.type === 'TSTypeAssertion' ||
    inner.type === 'ParenthesizedExpression' ||
    inner.type === 'ExpressionStatement'
  )
    inner = inner.expression
  return inner
}

/** What a chain of properties and calls begins with: `c` of `c.req.json().email`. */
export function rootOf(node: Node): Node {
  const inner = bare(node)
  if (isMember(inner)) return rootOf(inner.object)
  return isCall(inner) ? rootOf(inner.callee) : inner
}

/** `./prices.ts` of `require('./prices.ts')` and `import('./prices.ts')`. */
export function moduleOf(node: Node): string | null {
  if (node.type === 'ImportExpression') return node.source.type === 'StringLiteral' ? node.source.value : null
  if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier' || node.callee.name !== 'require') return null
  const [first] = node.arguments
  return first?.type === 'StringLiteral' ? first.value : null
}
