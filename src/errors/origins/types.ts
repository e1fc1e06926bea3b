// What written types say: the class, interface or factory behind a value that no file passes.

import { nameOfKey, type Node } from './syntax.ts'

/** The type that a parameter, a field or a constant is declared with; `null` without one. */
export function typeOf(node: Node): Node | null {
  const annotation = 'typeAnnotation' in node ? node.typeAnnotation : null
  return annotation?.type === 'TSTypeAnnotation' ? annotation.typeAnnotation : null
}

/** The member of an interface or an object type. */
export function memberOf(type: Node, key: string): Node | undefined {
  const members =
    type.type === 'TSInterfaceDeclaration' ? type.body.body : type.type === 'TSTypeLiteral' ? type.members : []
  return members.find((one) => 'key' in one && nameOfKey(one.key) === key)
}

/** `make` of `ReturnType<typeof make>` and `Awaited<ReturnType<typeof make>>`. */
export function factoryOf(type: Node): Node | null {
  if (type.type !== 'TSTypeReference' || type.typeName.type !== 'Identifier') return null
  const [first] = type.typeArguments?.params ?? []
  if (first === undefined) return null
  if (type.typeName.name === 'Awaited') return factoryOf(first)
  return type.typeName.name === 'ReturnType' && first.type === 'TSTypeQuery' ? first.exprName : null
}

/** Whether a function, or a member of an interface, is declared to return a promise. */
export function saysPromise(node: Node): boolean {
  const inner = node.type === 'TSPropertySignature' ? typeOf(node) : node
  const returned = inner !== null && 'returnType' in inner ? inner.returnType : null
  const type = returned?.type === 'TSTypeAnnotation' ? returned.typeAnnotation : null
  return type?.type === 'TSTypeReference' && type.typeName.type === 'Identifier' && type.typeName.name === 'Promise'
}
