// Follows a value back through the source to the lines that decide it, breadth first, and notes what looks wrong on the way.

import { describeCall } from './call-values.ts'
import type { Use } from './fault.ts'
import { constant, literal, lostThis, ofClass, ofObject, ofThis } from './holders.ts'
import { identifier, unfilledPattern } from './names.ts'
import { nearNames } from './near-names.ts'
import type { SourceTree } from './source-tree.ts'
import { bare, isMember, lineOf, placeLine, propertyOf, type Node } from './syntax.ts'
import type { Definition, FilePlace, Key, Step, Suspect, Trail, TrailOptions } from './trail.ts'
import { codeWord, stateOf } from './words.ts'

function isAbsent({ type, ...node }: Node): boolean {
  return type === 'NullLiteral' || type === 'PrivateName' || ('name' in node && node.name === 'undefined')
}

const maxDepth = 16
const maxSteps = 600

export class Following implements Trail {
  readonly options: TrailOptions
  readonly suspects: Suspect[] = []
  readonly definitions: Definition[] = []
  readonly #queue: Step[] = []
  readonly #seen = new Set<string>()

  constructor(options: TrailOptions) {
    this.options = options
  }

  /** Answers a list of questions; `share` is how much an answer counts, from 0 to 1. */
  follow(uses: readonly Use[], share = 1): void {
    for (const { tree, node, weight: given, isValue } of uses) {
      const weight = given * share
      const usedAt = `${tree.file.path}:${lineOf(node)}`
      this.push({
        tree,
        node,
        path: [],
        isAwaited: false,
        isValue,
        depth: 0,
        weight,
        usedAt,
        name: codeWord(tree, node),
        copied: null,
      })
    }
    for (let count = 0; count < maxSteps && this.options.hasTime(); count += 1) {
      const step = this.#queue.shift()
      if (step === undefined) return
      this.#take(step)
    }
  }

  push(step: Step): void {
    const key = `${step.tree.file.path}:${step.node.start}-${step.node.end}:${step.path.map(({ name }) => name).join('.')}:${step.isAwaited}`
    if (step.depth > maxDepth || step.path.length > 8 || this.#seen.has(key)) return
    this.#seen.add(key)
    this.options.lookup.trees.add(step.tree)
    this.#queue.push(step)
  }

  /** The same question to another node. */
  next(step: Step, node: Node | null | undefined, change: Partial<Step> = {}): void {
    if (node) this.push({ ...step, node, depth: step.depth + 1, ...change })
  }

  part(step: Step, node: Node | null | undefined, share: number, path: readonly Key[] = []): void {
    if (!node) return
    const weight = step.weight * share
    this.next(step, node, { path, isValue: false, weight, name: codeWord(step.tree, node) })
  }

  suspect({ tree }: FilePlace, at: Node | number, score: number, why: string, step?: Step): void {
    const line = typeof at === 'number' ? at : placeLine(at)
    const weighed = score * (step === undefined ? 1 : step.weight * 0.99 ** step.depth)
    this.suspects.push({ file: tree.file.path, line, why, score: weighed })
  }

  define(step: Step, note: string, tree: SourceTree, node: Node, marked: readonly number[]): void {
    if (this.definitions.some((known) => known.tree === tree && known.node === node)) return
    this.definitions.push({ usedAt: step.usedAt, name: step.name, note, tree, node, marked })
  }

  #take(step: Step): void {
    const { tree, path } = step
    const node = bare(step.node)
    switch (node.type) {
      case 'Identifier':
        return identifier(this, step, node.name, node)
      case 'MemberExpression':
      case 'OptionalMemberExpression':
        return this.#member(step, node)
      case 'AwaitExpression':
        return this.next(step, node.argument, { isAwaited: true })
      case 'CallExpression':
      case 'OptionalCallExpression':
      case 'NewExpression':
      case 'ImportExpression':
        return describeCall(this, step, node)
      case 'ConditionalExpression':
        this.next(step, node.consequent)
        return this.next(step, node.alternate)
      case 'LogicalExpression':
      case 'BinaryExpression':
        // What a value is compared with is not the value.
        if (/^[!=]==?$/.test(node.operator)) {
          for (const side of [node.left, node.right]) this.next(step, isAbsent(side) ? null : side)
          return
        }
        if (node.operator === '/' && /\bInfinity\b/.test(this.options.fault.message))
          this.suspect(step, node, 0.78, `divides by \`${codeWord(tree, node.right)}\`: by 0 it gives Infinity`, step)
        // Of `a ?? b` either is the value, of `a + b` neither.
        for (const side of [node.left, node.right])
          this.next(step, side.type === 'PrivateName' ? null : side, {
            isValue: step.isValue && node.type === 'LogicalExpression',
          })
        return
      case 'UnaryExpression':
        return this.next(step, node.argument, { path: [], isValue: false })
      case 'SpreadElement':
        return this.next(step, node.argument)
      case 'AssignmentExpression':
        return this.next(step, node.right)
      case 'TemplateLiteral':
      case 'TaggedTemplateExpression': {
        const { quasis, expressions } = node.type === 'TemplateLiteral' ? node : node.quasi
        for (const quasi of quasis) literal(this, step, quasi, quasi.value.raw, step.depth > 0 ? 0.35 : 0.1)
        for (const part of expressions) this.part(step, part, 0.9)
        return
      }
      case 'ArrayExpression':
        for (const element of node.elements.slice(0, 20))
          this.next(step, element, {
            path: path[0]?.name === '*' ? path.slice(1) : path,
            isValue: step.isValue && path[0]?.name === '*',
          })
        return constant(this, step, node)
      case 'ObjectExpression':
        return ofObject(this, step, node)
      case 'ClassDeclaration':
      case 'ClassExpression':
      case 'TSEnumDeclaration':
        return ofClass(this, step, node)
      case 'StringLiteral':
        if (step.isValue && path[0] !== undefined && path[0].name !== '*' && !(path[0].name in String.prototype))
          this.suspect(step, node, 0.8, `passes text, but \`${path[0].name}\` is read of it`, step)
        return literal(this, step, node, node.value, step.depth > 0 ? 0.5 : 0.15)
      case 'NumericLiteral':
      case 'BooleanLiteral':
      case 'RegExpLiteral':
        return literal(this, step, node, tree.textOf(node), step.depth > 0 ? 0.5 : 0.1)
      case 'NullLiteral': {
        const isIt = / of null| is null|^null /.test(this.options.fault.message)
        return step.isValue ? this.suspect(step, node, isIt ? 0.75 : 0.4, 'is null here', step) : undefined
      }
      case 'ThisExpression':
        return lostThis(this, step, node)
      case 'ObjectPattern':
        return unfilledPattern(this, step, node)
      default:
    }
  }

  #member(step: Step, node: Node & { readonly object: Node; readonly property: Node }): void {
    const { tree, path } = step
    if (!isMember(node)) return
    const written = propertyOf(node) === null ? this.options.lookup.written({ tree, node: node.property }) : undefined
    const key = written?.name ?? propertyOf(node)
    if (readEnvironment(this, step, node)) return
    const at = written?.at ?? { tree, node: node.property }
    if (node.computed && node.property.type !== 'NumericLiteral') this.part(step, node.property, 0.9)
    const inner = [{ name: key ?? '*', at, isAwaited: step.isAwaited }, ...path]
    if (bare(node.object).type === 'ThisExpression') return ofThis(this, step, node, inner)
    this.next(step, node.object, { path: inner, isAwaited: false })
  }
}

/** Whether a node reads the environment, or an object of all of it; what it reads is noted. Values are never shown. */
function readEnvironment(trail: Trail, step: Step, node: Node): boolean {
  if (!isMember(node)) return false
  const { tree } = step
  if (isEnvironment(node)) {
    const [key] = step.path
    if (key !== undefined && key.name !== '*') noteVariable(trail, step, key.name, key.at.tree, key.at.node)
    return true
  }
  if (!isEnvironment(bare(node.object))) return false
  const name = propertyOf(node)
  if (name === null) trail.next(step, node.property, { path: [], isValue: false, name: 'the name of the variable' })
  else noteVariable(trail, step, name, tree, node)
  return true
}

/** `process.env`, `import.meta.env`. */
function isEnvironment(node: Node): boolean {
  if (!isMember(node) || propertyOf(node) !== 'env') return false
  return (node.object.type === 'Identifier' && node.object.name === 'process') || node.object.type === 'MetaProperty'
}

/** Names a variable that the source reads by its literal name. */
function noteVariable(trail: Trail, step: Step, name: string, tree: Step['tree'], node: Node): void {
  const { env, fault } = trail.options
  const value = env[name]
  const [near] = value === undefined ? nearNames(name, Object.keys(env)) : []
  const isSlashed = fault.subject === '//' && value?.endsWith('/') === true
  const state =
    value === undefined
      ? `is not set${near === undefined ? '' : `; ${near} is`}`
      : isSlashed
        ? 'ends with a slash'
        : stateOf(value)
  const line = lineOf(node)
  trail.define({ ...step, name }, `${name} ${state}`, tree, node, [line])
  const parent = tree.parentOf(node)
  const hasDefault = parent?.type === 'LogicalExpression' && parent.left === node && parent.operator !== '&&'
  const isFine = state === 'is set'
  const score = isFine ? 0.4 : near === undefined && hasDefault && value === undefined ? 0.7 : 0.99
  trail.suspect({ tree }, node, score, `reads ${name}, which ${state}`, score < 0.9 ? step : undefined)
}
