// Finds what an expression names: the function that is called, the class of an object, the call that gave a parameter.

import type * as t from '@babel/types'
import { lastName } from './fault.ts'
import { callAround, isClass, membersSet, nameOfFunction, returnsOf, usesOfName } from './functions.ts'
import type { Place, ProjectSources } from './project-sources.ts'
import type { Binding, SourceTree } from '../errors/source/source-tree.ts'
import { bare, isCall, isFunction, moduleOf, nameOfKey, patternNames, propertyOf } from '../errors/source/syntax.ts'
import type { CallNode, FunctionNode, Node } from '../errors/source/syntax.ts'
import { wholeWord } from './words.ts'

export interface CallPlace {
  readonly tree: SourceTree
  readonly call: CallNode
}

const maxDepth = 9
/** Files at most that are followed: of so many, there may be more. */
export const maxImported = 40
const anything = /^/
/** What is in the line of each call of a constructor. */
const constructing = /\b(?:new|super)\b/

export class Lookup {
  readonly sources: ProjectSources
  /** Whether time is left to read more files. */
  readonly hasTimeToRead: () => boolean
  /** Whether something that was found is true only now, or only of this request. */
  isOfNow = false
  /** Where to search before a file is read. */
  readonly paths: Set<string> = new Set()
  /** Files read for this error, in order. */
  readonly trees: Set<SourceTree> = new Set()
  /** The call that led into a function, from the trace or from the search so far; `null` where that is none of the application. */
  readonly callers: Map<Node, CallPlace | null> = new Map()

  constructor(sources: ProjectSources, hasTimeToRead: () => boolean) {
    this.sources = sources
    this.hasTimeToRead = hasTimeToRead
  }

  /** What a value is, by a path of properties: functions, classes, literals, and whatever cannot be named closer. */
  find({ tree, node: given }: Place, path: readonly string[] = [], depth = 0): Place[] {
    if (depth > maxDepth) return []
    this.trees.add(tree)
    const node = bare(given)
    const [key, ...rest] = path
    const next = (value: Node | null | undefined, inner: readonly string[] = path): Place[] =>
      value ? this.find({ tree, node: value }, inner, depth + 1) : []
    switch (node.type) {
      case 'Identifier': {
        const binding = tree.bindingOf(node.name, node)
        return binding === undefined ? [] : this.#ofBinding(tree, binding, path, depth)
      }
      case 'MemberExpression':
      case 'OptionalMemberExpression':
        return next(node.object, [propertyOf(node) ?? '*', ...path])
      case 'ThisExpression': {
        const owner = tree.around(node, isOwner)
        return owner === undefined || key === undefined
          ? []
          : isClass(owner)
            ? this.#instance({ tree, node: owner }, key, rest, depth)
            : next(owner)
      }
      case 'ObjectExpression':
        if (key === undefined) return [{ tree, node }]
        for (const property of node.properties.toReversed()) {
          if (property.type === 'SpreadElement') {
            const found = next(property.argument)
            if (found.length > 0) return found
          } else if (nameOfKey(property.key) === key) {
            if (property.type !== 'ObjectMethod') return next(property.value, rest)
            return rest.length === 0 ? [{ tree, node: property }] : []
          }
        }
        return []
      case 'NewExpression': {
        if (key === undefined) return [{ tree, node }]
        return next(node.callee, []).flatMap((found) =>
          isClass(found.node) ? this.#instance(found, key, rest, depth) : [],
        )
      }
      case 'ClassDeclaration':
      case 'ClassExpression':
        return key === undefined ? [{ tree, node }] : this.#member({ tree, node }, key, rest, true, depth)
      case 'ImportExpression':
      case 'CallExpression':
      case 'OptionalCallExpression': {
        const specifier = moduleOf(node)
        if (node.type === 'ImportExpression' || specifier !== null)
          return this.exported(tree, specifier, key ?? '*').flatMap((found) => this.find(found, rest, depth + 1))
        if (lastName(node.callee) === 'freeze') return next(node.arguments[0])
        if (key === undefined) return [{ tree, node }]
        return this.functionsOf({ tree, node: node.callee }, depth).flatMap((found) =>
          returnsOf(found.node).flatMap((value) => this.find({ tree: found.tree, node: value }, path, depth + 1)),
        )
      }
      case 'AwaitExpression':
        return next(node.argument)
      case 'LogicalExpression':
        return [...next(node.left), ...next(node.right)]
      case 'ConditionalExpression':
        return [...next(node.consequent), ...next(node.alternate)]
      case 'AssignmentExpression':
        return next(node.right)
      case 'Program':
        return key === undefined
          ? []
          : this.exported(tree, null, key).flatMap((found) => this.find(found, rest, depth + 1))
      default:
        return path.length === 0 ? [{ tree, node }] : []
    }
  }

  /** The text of a key, where the only one that it can be is written in the source. */
  written(key: Place): { readonly name: string; readonly at: Place } | undefined {
    const [only, ...others] = this.find(key)
    return only?.node.type === 'StringLiteral' && others.length === 0 ? { name: only.node.value, at: only } : undefined
  }

  functionsOf(callee: Place, depth = 0): { readonly tree: SourceTree; readonly node: FunctionNode }[] {
    return this.find(callee, [], depth).flatMap(({ tree, node }) => (isFunction(node) ? [{ tree, node }] : []))
  }

  /** What a module exports; of the file itself without a specifier. */
  exported(tree: SourceTree, specifier: string | null, name: string): Place[] {
    const path = specifier === null ? tree.file.path : this.sources.resolve(tree.file.path, specifier)
    const found = path === null ? null : this.sources.findExport(path, name)
    if (found === null || 'missing' in found) return []
    this.trees.add(found.tree)
    return [found]
  }

  /** The call that gave a function its parameters: from the trace, or the only one in the files near the failure. */
  callOf(tree: SourceTree, node: FunctionNode): CallPlace | undefined {
    const known = this.callers.get(node)
    if (known !== undefined) return known ?? undefined
    const around = callAround(tree, node)
    if (around !== undefined) return { tree, call: around }
    const name = nameOfFunction(tree, node)
    if (name === null) return undefined
    let only: CallPlace | undefined
    for (const other of this.withImported(name === 'constructor' ? constructing : wholeWord(name))) {
      for (const call of other.calls) {
        const isNew = name === 'constructor' && (call.type === 'NewExpression' || call.callee.type === 'Super')
        if (!isNew && lastName(call.callee) !== name) continue
        const owner = call.callee.type === 'Super' ? other.around(call, isClass)?.superClass : call.callee
        if (!owner) continue
        const isIt = this.find({ tree: other, node: owner }).some(
          (found) => found.node === node || (isNew && tree.parentOf(tree.parentOf(node) ?? node) === found.node),
        )
        if (isIt && only !== undefined) return undefined
        if (isIt) only = { tree: other, call }
      }
    }
    return only === undefined || this.#isPassedOn(tree, node, name) ? undefined : only
  }

  /** Whether others may call a function: it is passed on by its name, or in an object. */
  #isPassedOn(tree: SourceTree, node: FunctionNode, name: string): boolean {
    let held: Node = node
    let holder = tree.parentOf(held)
    while (holder?.type === 'ObjectProperty' || holder?.type === 'ObjectExpression') {
      held = holder
      holder = tree.parentOf(held)
    }
    const names = [name]
    if (held !== node && holder?.type === 'VariableDeclarator') names.push(...patternNames(holder.id))
    const isArgument = held !== node && holder !== undefined && isCall(holder)
    return isArgument || names.some((one) => this.usesOfName(one).length > 0)
  }

  /** The file that the process was started with, first, and those that it imports, where a line has what is wanted. */
  fromStart(wanted: RegExp): Iterable<SourceTree> {
    const { entry } = this.sources
    return this.withImported(wanted, entry === null ? [] : [entry])
  }

  /** Where a function is named as a value in the files read so far and in those that they import. */
  usesOfName(name: string): Place[] {
    return usesOfName(this.withImported(wholeWord(name)), name)
  }

  /** Files, by default those read so far, and those that they import, where a line has what is wanted: who calls or changes something may be there. */
  withImported(wanted: RegExp = anything, from?: readonly string[]): Set<SourceTree> {
    const trees = new Set<SourceTree>()
    const given = new Set(from ?? [...this.paths, ...Array.from(this.trees, ({ file }) => file.path)])
    const paths = new Set(given)
    for (const path of paths) {
      if (!given.has(path) && !this.hasTimeToRead()) break
      const tree = this.sources.contains(path, wanted) ? this.sources.tree(path) : null
      if (tree !== null) trees.add(tree)
      for (const imported of this.sources.importsOf(path)) if (paths.size < maxImported) paths.add(imported)
    }
    return trees
  }

  #ofBinding(tree: SourceTree, binding: Binding, path: readonly string[], depth: number): Place[] {
    const { kind, value, source } = binding
    const inner = [...binding.path, ...path]
    if (source !== null) {
      const name = source.name === '*' ? (path[0] ?? '*') : source.name
      const rest = source.name === '*' ? path.slice(1) : path
      return this.exported(tree, source.from, name).flatMap((found) => this.find(found, rest, depth + 1))
    }
    if (kind === 'parameter' && value !== null && isFunction(value))
      return this.#ofParameter(tree, binding, value, inner, depth)
    if (value === null || kind === 'element' || kind === 'other') return []
    if (isFunction(value)) return path.length === 0 ? [{ tree, node: value }] : []
    return this.find({ tree, node: value }, inner, depth + 1)
  }

  #ofParameter(
    tree: SourceTree,
    binding: Binding,
    owner: FunctionNode,
    path: readonly string[],
    depth: number,
  ): Place[] {
    const typed = typeOf(binding.node)
    const found = typed === null ? [] : this.#ofType({ tree, node: typed }, path, depth + 1)
    if (found.length > 0) return found
    const given = this.callOf(tree, owner)
    const argument = given?.call.arguments[binding.index]
    if (given === undefined || argument === undefined || given.call.arguments.includes(owner as never)) return []
    return this.find({ tree: given.tree, node: argument }, path, depth + 1)
  }

  /** What a value of a written type has at a path. */
  #ofType({ tree, node: type }: Place, path: readonly string[], depth: number): Place[] {
    const [key, ...rest] = path
    if (depth > maxDepth || key === undefined) return []
    const factory = factoryOf(type)
    if (factory !== null)
      return this.functionsOf({ tree, node: factory }, depth).flatMap((made) =>
        returnsOf(made.node).flatMap((node) => this.find({ tree: made.tree, node }, path, depth + 1)),
      )
    if (type.type === 'TSTypeReference' && type.typeName.type === 'Identifier')
      return this.find({ tree, node: type.typeName }, [], depth + 1).flatMap((found) =>
        isClass(found.node) ? this.#instance(found, key, rest, depth) : this.#ofType(found, path, depth + 1),
      )
    if (type.type === 'TSTypeAliasDeclaration')
      return this.#ofType({ tree, node: type.typeAnnotation }, path, depth + 1)
    const member = memberOf(type, key)
    if (member === undefined) return []
    const inner = typeOf(member)
    // A member that is declared with the name of a type is what that says.
    const named = rest.length === 0 && inner?.type === 'TSTypeReference' ? inner.typeName : null
    for (const found of named === null ? [] : this.find({ tree, node: named }, [], depth + 1))
      if (found.node.type === 'TSTypeAliasDeclaration') return [{ ...found, node: found.node.typeAnnotation }]
    if (rest.length === 0) return [{ tree, node: member }]
    return inner === null ? [] : this.#ofType({ tree, node: inner }, rest, depth + 1)
  }

  #instance(owner: Place, key: string, rest: readonly string[], depth: number): Place[] {
    const own = this.#member(owner, key, rest, false, depth)
    const parent = isClass(owner.node) ? owner.node.superClass : null
    if (own.length > 0 || !parent) return own
    return this.find({ tree: owner.tree, node: parent }, [], depth + 1).flatMap((found) =>
      isClass(found.node) ? this.#instance(found, key, rest, depth + 1) : [],
    )
  }

  #member({ tree, node }: Place, key: string, rest: readonly string[], isStatic: boolean, depth: number): Place[] {
    if (!isClass(node) || depth > maxDepth) return []
    for (const part of node.body.body) {
      if (part.type === 'ClassMethod' && part.kind === 'constructor') {
        const field = part.params.find((one) => one.type === 'TSParameterProperty' && patternNames(one).includes(key))
        if (field?.type === 'TSParameterProperty' && field.parameter.type === 'Identifier')
          return this.find({ tree, node: field.parameter }, rest, depth + 1)
      }
      if (!('key' in part) || nameOfKey(part.key) !== key || ('static' in part && part.static) !== isStatic) continue
      if (isFunction(part)) return rest.length === 0 ? [{ tree, node: part }] : []
      if ('value' in part && part.value) return this.find({ tree, node: part.value }, rest, depth + 1)
      const typed = typeOf(part)
      const found = typed === null ? [] : this.#ofType({ tree, node: typed }, rest, depth + 1)
      if (found.length > 0) return found
    }
    return membersSet(tree, node, key).flatMap((value) => this.find({ tree, node: value }, rest, depth + 1))
  }
}

function isOwner(node: Node): node is t.ClassDeclaration | t.ClassExpression | t.ObjectExpression {
  return isClass(node) || node.type === 'ObjectExpression'
}

/** The type that a parameter, a field or a constant is declared with; `null` without one. */
function typeOf(node: Node): Node | null {
  const annotation = 'typeAnnotation' in node ? node.typeAnnotation : null
  return annotation?.type === 'TSTypeAnnotation' ? annotation.typeAnnotation : null
}

/** The member of an interface or an object type. */
function memberOf(type: Node, key: string): Node | undefined {
  const members =
    type.type === 'TSInterfaceDeclaration' ? type.body.body : type.type === 'TSTypeLiteral' ? type.members : []
  return members.find((one) => 'key' in one && nameOfKey(one.key) === key)
}

/** `make` of `ReturnType<typeof make>` and `Awaited<ReturnType<typeof make>>`. */
function factoryOf(type: Node): Node | null {
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
