// The declarations of a source file, as a reader of the reference sees them: signature, doc comment, members, and the names
// of the types in them. Only syntax is read: every exported name in `src/` has its types written out.

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from '@babel/parser'
import type { ClassBody, Comment, Node, Statement, TSTypeElement } from '@babel/types'

export type Kind = 'function' | 'class' | 'type' | 'value'

/** A member of an interface, class or object type. */
export interface Member {
  readonly name: string
  /** `maxBodyBytes?: number` */
  readonly code: string
  readonly doc: string
}

/** A declared name. */
export interface Declaration {
  readonly name: string
  readonly kind: Kind
  /** Signatures of a function, the head of a class or interface, the whole of anything else. */
  readonly code: string
  readonly doc: string
  readonly members: readonly Member[]
  /** Types that it extends or implements. */
  readonly bases: ReadonlySet<string>
  /** Names of types in the code of it and its members. */
  readonly names: ReadonlySet<string>
}

/** A file: what it declares, and where the names come from that it imports or passes on. */
export interface SourceFile {
  /** The comment at its head. */
  readonly head: string
  readonly declarations: ReadonlyMap<string, Declaration>
  /** Name here to the name there, for relative imports and re-exports. */
  readonly imports: ReadonlyMap<string, Origin>
  /** Names that it exports, by what they are called outside. */
  readonly exports: ReadonlyMap<string, Origin>
}

export interface Origin {
  readonly file: string
  readonly name: string
}

/** Reads and parses a file of TypeScript. */
export function readDeclarations(file: string): SourceFile {
  const source = readFileSync(file, 'utf8')
  const { program, comments } = parse(source, { sourceType: 'module', plugins: ['typescript'] })
  const declarations = new Map<string, Declaration>()
  const imports = new Map<string, Origin>()
  const exports = new Map<string, Origin>()
  const fileOf = (from: string): string => (from.startsWith('.') ? path.join(path.dirname(file), from) : from)
  for (const statement of program.body) {
    if (statement.type === 'ImportDeclaration') {
      for (const item of statement.specifiers) {
        if (item.type !== 'ImportSpecifier') continue
        imports.set(item.local.name, { file: fileOf(statement.source.value), name: nameOf(item.imported) })
      }
    } else if (statement.type === 'ExportNamedDeclaration' && !statement.declaration) {
      for (const item of statement.specifiers) {
        if (item.type !== 'ExportSpecifier') continue
        const from = statement.source ? fileOf(statement.source.value) : file
        exports.set(nameOf(item.exported), { file: from, name: nameOf(item.local) })
      }
    } else {
      const isExported = statement.type === 'ExportNamedDeclaration'
      const declared = isExported ? statement.declaration : statement
      const found = declared ? declarationOf(declared, docOf(statement), source) : undefined
      if (found === undefined) continue
      declarations.set(found.name, joined(declarations.get(found.name), found))
      if (isExported) exports.set(found.name, { file, name: found.name })
    }
  }
  return { head: headOf(comments ?? []), declarations, imports, exports }
}

/** Overloads: all signatures, without that of the implementation. */
function joined(earlier: Declaration | undefined, found: Declaration): Declaration {
  if (earlier === undefined || found.kind !== 'function') return found
  const isImplementation = !found.code.endsWith(';')
  return {
    ...earlier,
    doc: earlier.doc || found.doc,
    code: isImplementation ? earlier.code : `${earlier.code}\n${found.code}`,
    names: new Set([...earlier.names, ...found.names]),
  }
}

function declarationOf(node: Statement, doc: string, source: string): Declaration | undefined {
  const text = (from: Node, end?: number | null): string => source.slice(from.start ?? 0, end ?? from.end ?? 0).trim()
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'TSDeclareFunction': {
      const body = node.type === 'FunctionDeclaration' ? node.body : undefined
      const signature = text(node, body?.start).replace(/^async /, '')
      const parts = [node.typeParameters, ...node.params, node.returnType]
      return {
        name: node.id?.name ?? '',
        kind: 'function',
        code: signature,
        doc,
        members: [],
        bases: none,
        names: namesIn(parts),
      }
    }
    case 'ClassDeclaration': {
      const members = classMembers(node.body, text)
      return {
        name: node.id?.name ?? '',
        kind: 'class',
        code: text(node, node.body.start),
        doc,
        members: members.map(({ member }) => member),
        bases: namesIn(node.implements ?? []),
        names: namesIn([node.superClass, ...(node.implements ?? []), ...members.flatMap(({ types }) => types)]),
      }
    }
    case 'TSInterfaceDeclaration': {
      const { name } = node.id
      const members = node.body.body.map((member) => typeMember(member, text)).filter((member) => member.name !== '')
      return {
        name,
        kind: 'type',
        code: text(node, node.body.start),
        doc,
        members,
        bases: namesIn(node.extends ?? []),
        names: namesIn([node]),
      }
    }
    case 'TSTypeAliasDeclaration': {
      const literal = node.typeAnnotation.type === 'TSTypeLiteral' ? node.typeAnnotation : undefined
      const members = (literal?.members ?? []).map((member) => typeMember(member, text))
      return {
        name: node.id.name,
        kind: 'type',
        code: text(node, literal?.start),
        doc,
        members,
        bases: none,
        names: namesIn([node]),
      }
    }
    case 'VariableDeclaration': {
      const [variable] = node.declarations
      if (variable?.id.type !== 'Identifier') return undefined
      const code = `const ${text(variable.id)}`
      return {
        name: variable.id.name,
        kind: 'value',
        code,
        doc,
        members: [],
        bases: none,
        names: namesIn([variable.id]),
      }
    }
    default:
      return undefined
  }
}

const none: ReadonlySet<string> = new Set()

type Text = (from: Node, end?: number | null) => string

function typeMember(member: TSTypeElement, text: Text): Member {
  const name = 'key' in member && member.key.type === 'Identifier' ? member.key.name : text(member).split(/[?:(]/)[0]
  return {
    name: name ?? '',
    code: text(member)
      .replace(/^readonly /, '')
      .replace(/[;,]$/, ''),
    doc: docOf(member),
  }
}

/** What a reader can use: no private names, no constructor that only the library calls (one without a doc comment). */
function classMembers(body: ClassBody, text: Text): { member: Member; types: (Node | null | undefined)[] }[] {
  return body.body.flatMap((part) => {
    if (part.type !== 'ClassMethod' && part.type !== 'ClassProperty' && part.type !== 'TSDeclareMethod') return []
    if (part.accessibility === 'private' || part.static || part.computed || part.key.type !== 'Identifier') return []
    const doc = docOf(part)
    if (part.type === 'ClassProperty') {
      if (part.declare) return []
      const { name } = part.key
      const code = `${name}${part.optional ? '?' : ''}${part.typeAnnotation ? text(part.typeAnnotation) : ''}`
      return [{ member: { name, code, doc }, types: [part.typeAnnotation] }]
    }
    if (part.kind === 'set' || (part.kind === 'constructor' && doc === '')) return []
    const end = part.type === 'ClassMethod' ? part.body.start : undefined
    const whole = text(part, end).replace(/^(?:override |async |public )*/, '')
    const code = part.kind === 'get' ? whole.replace(/^get (\w+)\(\)/, '$1') : whole
    return [
      { member: { name: part.key.name, code, doc }, types: [part.typeParameters, ...part.params, part.returnType] },
    ]
  })
}

const nameOf = (node: { type: string; name?: string; value?: string }): string => node.name ?? node.value ?? ''

/** The doc comment right above a node. */
function docOf({ leadingComments }: Node): string {
  const comment = leadingComments?.findLast(({ type, value }) => type === 'CommentBlock' && value.startsWith('*'))
  return (comment?.value ?? '')
    .slice(1)
    .replaceAll(/^[ \t]*\*? ?/gm, '')
    .trim()
}

function headOf(comments: readonly Comment[]): string {
  const lines: string[] = []
  for (const { type, value, loc } of comments) {
    if (type !== 'CommentLine' || loc?.start.line !== lines.length + 1) break
    lines.push(value.trim())
  }
  return lines.join(' ')
}

/** Names of types anywhere below the nodes. */
function namesIn(nodes: readonly (Node | null | undefined)[]): Set<string> {
  const names = new Set<string>()
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit)
    else if (isNode(value)) {
      if (value.type === 'TSTypeReference' && value.typeName.type === 'Identifier') names.add(value.typeName.name)
      if ('expression' in value && isNode(value.expression) && value.expression.type === 'Identifier') {
        names.add(value.expression.name)
      }
      for (const [key, child] of Object.entries(value))
        if (!/omments$|^loc$|^body$/.test(key) || key === 'body') visit(child)
    }
  }
  visit(nodes)
  return names
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}
