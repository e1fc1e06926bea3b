// One source file as a syntax tree, with what the search for values asks of it: who declares a name, what is exported, who calls.

import type * as t from '@babel/types'
import type { SourceFile } from '../source-files.ts'
import {
  isFunction,
  isMember,
  isScope,
  lineOf,
  moduleOf,
  nameOfKey,
  patternNames,
  propertyOf,
  visit,
} from './syntax.ts'
import type { CallNode, FunctionNode, Node } from './syntax.ts'
import type * as BabelParser from '@babel/parser'
import { createRequire } from 'node:module'

export interface Binding {
  readonly kind: 'import' | 'parameter' | 'variable' | 'element' | 'function' | 'class' | 'other'
  readonly name: string
  /** The identifier that declares it. */
  readonly node: Node
  /** What it is taken from: the initial value, the iterated value, the function or class itself. */
  readonly value: Node | null
  /** Properties of that value: `['user', 'name']` for `const { user: { name } } = value`; `*` is any element. */
  readonly path: readonly string[]
  /** Used if the value is undefined. */
  readonly fallback: Node | null
  /** Position of a parameter; -1 for others. */
  readonly index: number
  /** Where a name is imported from, and under which name there; `*` for the whole module. */
  readonly source: { readonly from: string; readonly name: string } | null
  /** The function, block or program that it belongs to. */
  readonly scope: Node
}

/** What a module exports under one name: one of its nodes, or a name of another module. */
export type Exported =
  | { readonly node: Node }
  | { readonly from: string; readonly name: string }
  | { readonly local: string }

export class SourceTree {
  readonly file: SourceFile
  readonly text: string
  readonly program: t.Program
  readonly exports: Map<string, Exported> = new Map()
  /** Exported interfaces and names of types. */
  readonly types: Map<string, Node> = new Map()
  /** What `require()` gives, where that is not the names that are exported: `module.exports = …`. */
  whole: Node | null = null
  /** Modules of `export * from`. */
  readonly stars: string[] = []
  /** Specifiers of every static import and re-export that stays when types are gone. */
  readonly imports: { readonly from: string; readonly line: number }[] = []
  /** Specifiers of `import()` and `require()` that are written out. */
  readonly loads: string[] = []
  readonly calls: CallNode[] = []
  readonly assignments: t.AssignmentExpression[] = []
  readonly #lineStarts: number[] = [0]
  readonly #parents = new Map<Node, Node>()
  readonly #bindings = new Map<Node, Map<string, Binding>>()

  constructor(file: SourceFile, text: string, program: t.Program) {
    this.file = file
    this.text = text
    this.program = program
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#lineStarts.push(at + 1)
    this.#index()
  }

  parentOf(node: Node): Node | undefined {
    return this.#parents.get(node)
  }

  /** The nearest node around this one for which `isWanted` says yes. */
  around<Wanted extends Node>(node: Node, isWanted: (node: Node) => node is Wanted): Wanted | undefined {
    let next = this.parentOf(node)
    while (next !== undefined && !isWanted(next)) next = this.parentOf(next)
    return next
  }

  textOf(node: Node): string {
    return this.text.slice(node.start ?? 0, node.end ?? 0)
  }

  /** From 1 for both. */
  offsetOf(line: number, column: number): number {
    return (this.#lineStarts[line - 1] ?? 0) + Math.max(0, column - 1)
  }

  lineAt(offset: number): number {
    let low = 0
    let high = this.#lineStarts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#lineStarts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return low + 1
  }

  /** All nodes that touch a line, outer ones first. */
  nodesOnLine(line: number): Node[] {
    const start = this.offsetOf(line, 1)
    const end = (this.#lineStarts[line] ?? this.text.length + 1) - 1
    const found: Node[] = []
    visit(this.program, (node) => {
      const touches = (node.start ?? 0) <= end && (node.end ?? 0) > start
      if (touches) found.push(node)
      return touches
    })
    return found
  }

  /** Who declares a name, as seen from a node. */
  bindingOf(name: string, from: Node): Binding | undefined {
    for (let node: Node | undefined = from; node !== undefined; node = this.parentOf(node)) {
      const found = this.#bindings.get(node)?.get(name)
      if (found !== undefined) return found
    }
    return undefined
  }

  #index(): void {
    visit(this.program, (node, parent) => {
      if (parent !== undefined) this.#parents.set(node, parent)
      const loaded = moduleOf(node)
      if (loaded !== null) this.loads.push(loaded)
      this.#note(node)
      return true
    })
  }

  #note(node: Node): void {
    switch (node.type) {
      case 'CallExpression':
      case 'OptionalCallExpression':
      case 'NewExpression':
        this.calls.push(node)
        return
      case 'AssignmentExpression':
        this.assignments.push(node)
        return this.#assigned(node)
      case 'ImportDeclaration':
        return this.#import(node)
      case 'VariableDeclaration':
        return this.#variables(node)
      case 'FunctionDeclaration':
      case 'ClassDeclaration':
      case 'TSEnumDeclaration':
      case 'TSInterfaceDeclaration':
      case 'TSTypeAliasDeclaration':
        if (node.id)
          this.#declare(this.#scopeAround(node), {
            kind: node.type === 'FunctionDeclaration' ? 'function' : 'class',
            name: node.id.name,
            node: node.id,
            value: node,
          })
        if (isFunction(node)) this.#parameters(node)
        return
      case 'CatchClause':
        if (node.param) this.#pattern(node.param, { kind: 'other', value: null, scope: node })
        return
      case 'ExportNamedDeclaration':
      case 'ExportDefaultDeclaration':
      case 'ExportAllDeclaration':
        return this.#export(node)
      default:
        if (isFunction(node)) this.#parameters(node)
    }
  }

  #import(node: t.ImportDeclaration): void {
    const from = node.source.value
    if (node.importKind !== 'type') this.imports.push({ from, line: lineOf(node) })
    for (const specifier of node.specifiers) {
      const name =
        specifier.type === 'ImportSpecifier'
          ? nameOfKey(specifier.imported)
          : specifier.type === 'ImportDefaultSpecifier'
            ? 'default'
            : '*'
      const { local } = specifier
      this.#declare(this.program, {
        kind: 'import',
        name: local.name,
        node: specifier,
        value: null,
        source: { from, name: name ?? '' },
      })
    }
  }

  #variables(node: t.VariableDeclaration): void {
    const parent = this.parentOf(node)
    const scope = node.kind === 'var' ? (this.around(node, isFunction) ?? this.program) : this.#scopeAround(node)
    const iterated = parent?.type === 'ForOfStatement' ? parent.right : undefined
    const kind = iterated !== undefined ? 'element' : parent?.type === 'ForInStatement' ? 'other' : 'variable'
    for (const { id, init } of node.declarations) {
      if (id.type === 'VoidPattern') continue
      this.#pattern(id, { kind, value: iterated ?? init ?? null, scope })
    }
  }

  #parameters(node: FunctionNode): void {
    for (const [index, parameter] of node.params.entries()) {
      if (parameter.type === 'VoidPattern') continue
      this.#pattern(parameter, { kind: 'parameter', value: node, scope: node, index })
    }
  }

  #export(node: t.ExportNamedDeclaration | t.ExportDefaultDeclaration | t.ExportAllDeclaration): void {
    if (node.type === 'ExportDefaultDeclaration') {
      this.exports.set('default', { node: node.declaration })
      return
    }
    if (node.exportKind === 'type') {
      const declaration = node.type === 'ExportNamedDeclaration' ? node.declaration : null
      if (declaration && 'id' in declaration && declaration.id?.type === 'Identifier')
        this.types.set(declaration.id.name, declaration)
      return
    }
    if (node.source) this.imports.push({ from: node.source.value, line: lineOf(node) })
    if (node.type === 'ExportAllDeclaration') {
      this.stars.push(node.source.value)
      return
    }
    const { declaration, source } = node
    if (declaration?.type === 'VariableDeclaration') {
      for (const { id } of declaration.declarations)
        for (const name of patternNames(id)) this.exports.set(name, { local: name })
    } else if (declaration && 'id' in declaration && declaration.id?.type === 'Identifier') {
      this.exports.set(declaration.id.name, { node: declaration })
    }
    for (const specifier of node.specifiers) {
      const name = nameOfKey(specifier.exported)
      if (name === null) continue
      const local = specifier.type === 'ExportSpecifier' ? (nameOfKey(specifier.local) ?? '') : '*'
      this.exports.set(name, source ? { from: source.value, name: local } : { local })
    }
  }

  /** `exports.load = …`, `module.exports = …`: an import of it has the object as its default, and its properties by name. */
  #assigned({ left, right }: t.AssignmentExpression): void {
    if (!isMember(left)) return
    const name = propertyOf(left)
    if (name !== null && /^(?:module\.)?exports$/.test(this.textOf(left.object)))
      this.exports.set(name, { node: right })
    if (this.textOf(left) !== 'module.exports') return
    this.whole = right
    this.exports.set('default', { node: right })
    for (const part of right.type === 'ObjectExpression' ? right.properties : [])
      if (part.type === 'ObjectProperty') this.exports.set(nameOfKey(part.key) ?? '', { node: part.value })
  }

  #pattern(node: Node, given: Pick<Binding, 'kind' | 'value' | 'scope'> & Partial<Binding>): void {
    const { path = [] } = given
    switch (node.type) {
      case 'Identifier':
        this.#declare(given.scope, { ...given, name: node.name, node })
        return
      case 'AssignmentPattern':
        this.#pattern(node.left, { ...given, fallback: node.right })
        return
      case 'TSParameterProperty':
        this.#pattern(node.parameter, given)
        return
      case 'RestElement':
        this.#pattern(node.argument, given)
        return
      case 'ArrayPattern':
        for (const [index, element] of node.elements.entries())
          if (element)
            this.#pattern(element, { ...given, path: [...path, element.type === 'RestElement' ? '*' : `*${index}`] })
        return
      case 'ObjectPattern':
        for (const property of node.properties) {
          if (property.type === 'RestElement') this.#pattern(property.argument, given)
          else this.#pattern(property.value, { ...given, path: [...path, nameOfKey(property.key) ?? '*'] })
        }
        return
      default:
    }
  }

  #declare(scope: Node, given: Pick<Binding, 'kind' | 'name' | 'node' | 'value'> & Partial<Binding>): void {
    const known = this.#bindings.get(scope) ?? new Map<string, Binding>()
    this.#bindings.set(scope, known)
    known.set(given.name, { path: [], fallback: null, index: -1, source: null, ...given, scope })
  }

  #scopeAround(node: Node): Node {
    return this.around(node, isScope) ?? this.program
  }
}

const maxChars = 400_000
const parsedExtensions = /\.[mc]?[jt]sx?$/

/** What a file imports and loads with a written specifier, without parsing it; types that are imported as such are left out. */
export function importsIn({ path, lines }: SourceFile): string[] {
  if (!parsedExtensions.test(path)) return []
  const found = lines.join('\n').matchAll(loading)
  return Array.from(found, ([, isType, , from = '']) => (isType === undefined ? from : '')).filter(
    (from) => from !== '',
  )
}

const loading =
  /(?:\b(?:im|ex)port\s+(type)\s+(?!from\b)[^'"`;=]*)?\b(?:from|import|require)\s*\(?\s*(['"])([^'"\n]+)\2/g

/** The tree of a file; `null` if it is not a program, too large, or cannot be parsed. Never throws. */
export function readTree(file: SourceFile): SourceTree | null {
  const text = file.lines.join('\n')
  if (!parsedExtensions.test(file.path) || text.length > maxChars || text.includes('\0')) return null
  try {
    const plugins: BabelParser.ParserPlugin[] = /\.[mc]?ts$/.test(file.path) ? ['typescript'] : ['jsx']
    if (file.path.endsWith('.tsx')) plugins.push('typescript')
    // Half a megabyte, loaded with the first file.
    const { parse } = createRequire(import.meta.url)('@babel/parser') as typeof BabelParser
    const { program } = parse(text, {
      sourceType: 'unambiguous',
      plugins: [...plugins, 'decorators'],
      errorRecovery: true,
      attachComment: false,
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
    })
    return new SourceTree(file, text, program)
  } catch {
    return null
  }
}
