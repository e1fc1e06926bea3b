// Follows a value back through the source to the lines that decide it, breadth first, and notes what looks wrong on the way.

import type * as t from '@babel/types'
import { describeCall, notNumber, unplaced } from './call-values.ts'
import { type Use, lastName } from './fault.ts'
import { literal, lostThis, ofArray, ofClass, ofObject, ofThis } from './holders.ts'
import { nearNames, codeWord, stateOf } from './words.ts'
import type { SourceTree, Binding } from '../errors/source/source-tree.ts'
import type { Node, CallNode, FunctionNode } from '../errors/source/syntax.ts'
import { bare, isCall, isMember, lineOf, nameOfKey, placeLine, isFunction } from '../errors/source/syntax.ts'
import { blank, mayBeNothing } from './trail.ts'
import type { Definition, FilePlace, Key, Step, Suspect, Trail, TrailOptions } from './trail.ts'
import { posix } from 'node:path'
import { callsWithName, changes } from './changes.ts'
import { noteData } from './outside.ts'
import type { FunctionPlace as Handler } from './smells.ts'
import type { Place } from './project-sources.ts'
import { isClass } from './functions.ts'
import type { Lookup } from './lookup.ts'
import { noteMissingExport, placeOf } from './module-faults.ts'
import { isRoute, readInHandler, readOfRequest, requestName } from './request-parts.ts'

function isAbsent({ type, ...node }: Node): boolean {
  return type === 'NullLiteral' || type === 'PrivateName' || ('name' in node && node.name === 'undefined')
}

const maxDepth = 16
const maxSteps = 600

const setHere = 'Set here'

export class Following implements Trail {
  readonly options: TrailOptions
  readonly suspects: Suspect[] = []
  readonly definitions: Definition[] = []
  readonly #queue: Step[] = []
  readonly #seen = new Set<string>()

  constructor(options: TrailOptions) {
    this.options = options
  }

  /** Asks for the values of a line; `share` is how much they count, from 0 to 1. */
  follow(uses: readonly Use[], share = 1): void {
    for (const { tree, node, weight: given, isValue, path = [] } of uses) {
      const usedAt = `${tree.file.path}:${lineOf(node)}`
      this.push({ ...blank, tree, node, isValue, path, weight: given * share, usedAt, name: codeWord(tree, node) })
    }
    for (let count = 0; count < maxSteps && this.options.hasTime(); count += 1) {
      const step = this.#queue.shift()
      if (step === undefined) return
      this.#take(step)
    }
  }

  push(step: Step): void {
    const key = `${step.tree.file.path}:${step.node.start}-${step.node.end}:${step.path.map(({ name, index = '' }) => `${name}${index}`).join('.')}:${step.isAwaited}`
    if (step.depth > maxDepth || step.path.length > 8 || this.#seen.has(key)) return
    this.#seen.add(key)
    this.options.lookup.trees.add(step.tree)
    this.#queue.push(step)
  }

  next(step: Step, node: Node | null | undefined, change: Partial<Step> = {}): void {
    if (node) this.push({ ...step, node, depth: step.depth + 1, ...change })
  }

  part(step: Step, node: Node | null | undefined, share: number, path: readonly Key[] = []): void {
    if (!node) return
    const weight = step.weight * share
    this.next(step, node, { path, isValue: false, isTool: false, weight, name: codeWord(step.tree, node) })
  }

  suspect({ tree }: FilePlace, at: Node | number, score: number, why: string, step?: Step): void {
    const line = typeof at === 'number' ? at : placeLine(at)
    const weighed = score * (step === undefined ? 1 : step.weight * 0.99 ** step.depth)
    this.suspects.push({ file: tree.file.path, line, why, score: weighed })
  }

  define(step: Step, note: string, tree: SourceTree, node: Node, marked: readonly number[]): void {
    const [at] = marked
    // The calls of a chain have one line, and what was recorded there is said once.
    const isOfUse = (known: Definition): boolean => known.name === step.name && known.usedAt === step.usedAt
    const isKnown = (known: Definition): boolean =>
      known.tree === tree &&
      (known.node === node || (at !== undefined && known.marked[0] === at && (known.note === note || isOfUse(known))))
    const index = this.definitions.findIndex(isKnown)
    const made = { usedAt: step.usedAt, name: step.name, note, tree, node, marked }
    const known = this.definitions[index]
    if (known === undefined) this.definitions.push(made)
    // That a line sets the value says less than what it got.
    else if (known.note === setHere && isOfUse(known)) this.definitions[index] = { ...known, note }
  }

  #take(step: Step): void {
    const { tree, path } = step
    const key = path[0]?.name
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
        this.next(step, node.consequent, { isOneOf: true })
        return this.next(step, node.alternate, { isOneOf: true })
      case 'LogicalExpression':
      case 'BinaryExpression':
        return operands(this, step, node)
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
        return ofArray(this, step, node)
      case 'ObjectExpression':
        return ofObject(this, step, node)
      case 'ClassDeclaration':
      case 'ClassExpression':
      case 'TSEnumDeclaration':
        return ofClass(this, step, node)
      case 'StringLiteral':
        if (step.isValue && step.isOneOf !== true && key !== undefined && key !== '*' && !(key in String.prototype))
          this.suspect(step, node, 0.8, `passes text, but \`${key}\` is read of it`, step)
        return literal(this, step, node, node.value, step.depth > 0 ? 0.5 : 0.15)
      case 'NumericLiteral':
      case 'BooleanLiteral':
      case 'RegExpLiteral':
        return literal(this, step, node, tree.textOf(node), step.depth > 0 ? 0.5 : 0.1)
      case 'NullLiteral': {
        const isIt = / of null| is null|^null /.test(this.options.fault.message)
        if (step.isValue && mayBeNothing(path)) this.suspect(step, node, isIt ? 0.75 : 0.4, 'is null here', step)
        return
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
    const written = lastName(node) === null ? this.options.lookup.written({ tree, node: node.property }) : undefined
    const key = written?.name ?? lastName(node)
    if (readEnvironment(this, step, node)) return
    const at = written?.at ?? { tree, node: node.property }
    if (node.computed && node.property.type !== 'NumericLiteral') this.part(step, node.property, 0.9)
    const inner = [{ name: key ?? '*', at, isAwaited: step.isAwaited }, ...path]
    if (bare(node.object).type === 'ThisExpression') return ofThis(this, step, node, inner)
    this.next(step, node.object, { path: inner, isAwaited: false })
  }
}

function operands(
  trail: Trail,
  step: Step,
  node: Node & { readonly type: 'LogicalExpression' | 'BinaryExpression' },
): void {
  const { left, right, operator } = node
  // What a value is compared with is not the value.
  const isCompared = /^[!=]==?$/.test(operator)
  if (operator === '/' && /\bInfinity\b/.test(trail.options.fault.message))
    trail.suspect(step, node, 0.78, `divides by \`${codeWord(step.tree, right)}\`: by 0 it gives Infinity`, step)
  const isEmpty = right.type === 'ArrayExpression' && right.elements.length === 0
  for (const side of [left, right])
    trail.next(step, side.type === 'PrivateName' || (isCompared && isAbsent(side)) ? null : side, {
      // Of `a ?? b` either is the value, of `a + b` neither.
      isValue: step.isValue && (isCompared || node.type === 'LogicalExpression'),
      // Of `a ?? b` without a value, neither has one; an element of `a ?? []` is one of `a`.
      isOneOf: step.isOneOf === true || (step.path.length > 0 && !isEmpty) || operator === '&&',
    })
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
  const name = lastName(node)
  if (name === null) trail.next(step, node.property, { path: [], isValue: false, name: 'the name of the variable' })
  else noteVariable(trail, step, name, tree, node)
  return true
}

/** `process.env`, `import.meta.env`. */
function isEnvironment(node: Node): boolean {
  if (!isMember(node) || lastName(node) !== 'env') return false
  return (node.object.type === 'Identifier' && node.object.name === 'process') || node.object.type === 'MetaProperty'
}

/** Names a variable that the source reads by its literal name. */
function noteVariable(trail: Trail, step: Step, name: string, tree: Step['tree'], node: Node): void {
  const { env, fault } = trail.options
  const value = env[name]
  const [near] = value === undefined ? nearNames(name, Object.keys(env)) : []
  const isSlashed = fault.subject === '//' && value?.endsWith('/') === true
  const other = near === undefined ? '' : `; ${near} is`
  const isRead = lastName(tree.around(node, isCall)?.callee ?? node) === 'Number'
  const isNone = isRead && notNumber.test(fault.message) && Number.isNaN(Number(value))
  const kind = isSlashed ? 'ends with a slash' : isNone ? 'is not a number' : stateOf(value ?? '')
  const state = value === undefined ? `is not set${other}` : kind
  trail.define({ ...step, name }, `${name} ${state}`, tree, node, [lineOf(node)])
  const parent = tree.parentOf(node)
  const hasDefault = parent?.type === 'LogicalExpression' && parent.left === node && parent.operator !== '&&'
  const isFine = state === 'is set'
  const score = isFine ? 0.4 : near === undefined && hasDefault && value === undefined ? 0.7 : 0.99
  trail.suspect({ tree }, node, score, `reads ${name}, which ${state}`, score < 0.9 ? step : undefined)
}

function identifier(trail: Trail, step: Step, name: string, node: Node): void {
  const { tree } = step
  if (name === 'undefined') {
    if (step.isValue && mayBeNothing(step.path) && trail.options.fault.kind !== 'other')
      trail.suspect(step, node, 0.6, 'is undefined here', step)
    return
  }
  const binding = tree.bindingOf(name, node)
  if (binding === undefined) return
  if (binding.source !== null) return imported(trail, step, binding)
  const last = binding.path.length - 1
  const keys = binding.path.map((key, index) => {
    const position = /^\*(\d+)$/.exec(key)?.[1]
    return {
      name: position === undefined ? key : '*',
      index: position === undefined ? undefined : Number(position),
      at: { tree, node: binding.node },
      isAwaited: index === last && step.isAwaited,
      isOptional: binding.fallback !== null,
    }
  })
  const path = [...keys, ...unplaced(step.path)]
  const inner = { ...step, name, path, isAwaited: last < 0 && step.isAwaited }
  if (binding.fallback !== null)
    trail.next(inner, binding.fallback, { path: step.path, weight: step.weight * 0.8, isOneOf: true })
  if (binding.kind === 'parameter' && binding.value !== null && isFunction(binding.value))
    return parameter(trail, inner, binding, binding.value)
  const isReplaced = changes(trail, step, binding)
  if (binding.value === null || isFunction(binding.value)) return
  if (binding.kind === 'element') {
    const loop = tree.around(binding.node, (one): one is t.ForOfStatement => one.type === 'ForOfStatement')
    const isAwaited = inner.isAwaited || loop?.await === true
    const element = { name: '*', at: { tree, node: binding.node }, isAwaited }
    return trail.next(inner, binding.value, { path: [element, ...inner.path] })
  }
  if (step.isTool === true && isMadeElsewhere(trail, { tree, node: binding.value })) return
  const note = binding.fallback === null ? setHere : 'Set here, with a default'
  const set = { ...step, name }
  trail.define(set, note, tree, tree.parentOf(binding.node) ?? binding.node, [lineOf(binding.node)])
  trail.next(inner, binding.value, isReplaced ? { isOneOf: true } : {})
}

/** Whether a library makes a value. */
function isMadeElsewhere({ options }: Trail, { tree, node }: Place): boolean {
  const made = bare(node.type === 'AwaitExpression' ? node.argument : node)
  return (
    isCall(made) &&
    options.lookup.find({ tree, node: made.callee }).every((one) => !isFunction(one.node) && !isClass(one.node))
  )
}

function imported(trail: Trail, step: Step, { source, node }: Binding): void {
  const { tree, path } = step
  const { lookup } = trail.options
  if (source === null) return
  const target = lookup.sources.resolve(tree.file.path, source.from)
  if (target === null && source.from.endsWith('.json'))
    noteData(trail, step, node, posix.join(posix.dirname(tree.file.path), source.from))
  if (target === null) return
  const name = source.name === '*' ? path[0]?.name : source.name
  const found = name === undefined ? null : lookup.sources.findExport(target, name)
  if (found === null) return
  const rest = source.name === '*' ? path.slice(1) : path
  if ('missing' in found) {
    const read = source.name === '*' ? path[0] : undefined
    return noteMissingExport(trail, step, found.missing, read ?? { name: name ?? '', at: { tree, node } })
  }
  trail.push({ ...step, ...found, path: rest, depth: step.depth + 1 })
}

function parameter(
  trail: Trail,
  step: Step,
  binding: Pick<Binding, 'name' | 'node' | 'path' | 'index'>,
  owner: FunctionNode,
): void {
  const { tree, path } = step
  const { lookup } = trail.options
  const given = lookup.callOf(tree, owner)
  if (given === undefined) {
    const isMaking = 'kind' in owner && owner.kind === 'constructor' && path.length === 0
    if (isMaking && step.isValue && step.isOneOf !== true && trail.options.fault.kind === 'nothing')
      trail.suspect(step, binding.node, 0.9, `takes \`${binding.name}\`, which nothing was given for`, step)
    // Who is called by a library with a request is a handler.
    const read = lookup.callers.get(owner) === null ? readInHandler : readOfRequest
    if (requestName.test(binding.name) || path[0]?.name === 'request') read(trail, step, path)
    return
  }
  const { call } = given
  const usedAt = `${tree.file.path}:${lineOf(binding.node)}`
  const argument = call.arguments[binding.index]
  // A callback gets its values from what it is passed to.
  const position = call.callee === owner ? -1 : callbackAt(given.tree, call, owner, lookup)
  if (position >= 0) {
    if (isRoute(call)) readInHandler(trail, step, path)
    const below = { ...step, tree: given.tree, depth: step.depth + 1, usedAt }
    for (const wrapper of lookup.functionsOf({ tree: given.tree, node: call.callee }))
      for (const inner of callsOfParameter(wrapper, position))
        trail.push({ ...below, tree: wrapper.tree, node: inner.arguments[binding.index] ?? inner })
    for (const found of callsWithName(trail, given.tree, call)) {
      const passed = found.call.arguments[binding.index + 1]
      if (passed === undefined) continue
      const why = `passes \`${codeWord(found.tree, passed)}\` to \`${found.key}\``
      trail.suspect(found, passed, 0.5, why, step)
      trail.next(step, passed, { tree: found.tree, usedAt, name: binding.name })
    }
    // What a library gives to its callbacks is not known, unless they see a list or a promise.
    const from = isMember(call.callee) ? call.callee.object : null
    if (from === null || !perElement.has(lastName(call.callee) ?? '')) return
    const star = { name: '*', at: { tree, node: binding.node }, isAwaited: step.isAwaited }
    const [inner, isAwaited] = isThen(call) ? [path, true] : [[star, ...path], step.isAwaited]
    return trail.push({ ...below, node: from, path: inner, isAwaited })
  }
  const isIt = lookup.functionsOf({ tree: given.tree, node: call.callee }).some(({ node }) => node === owner)
  if (argument === undefined || argument.type === 'ArgumentPlaceholder') {
    const declared = owner.params[binding.index]
    const isOptional =
      declared === undefined ||
      /^(?:RestElement|AssignmentPattern)$/.test(declared.type) ||
      ('optional' in declared && declared.optional === true)
    const why = `passes ${call.arguments.length} of ${owner.params.length} arguments: \`${binding.name}\` is missing`
    if (!isOptional && isIt && call.arguments.every(({ type }) => type !== 'SpreadElement'))
      trail.suspect(given, call, 0.9, why, step)
    return
  }
  const takesAll = [...owner.params, ...call.arguments].some(({ type }) => type.endsWith('Element'))
  const surplus = `passes ${call.arguments.length} arguments where ${owner.params.length} are taken`
  if (isIt && call.arguments.length > owner.params.length && !takesAll) trail.suspect(given, call, 0.85, surplus, step)
  if (isIt) order(trail, step, given.tree, call, owner)
  const shown = codeWord(given.tree, argument)
  trail.define({ ...step, usedAt, name: binding.name }, `Passed as \`${shown}\``, given.tree, call, [lineOf(argument)])
  // A value that is only passed on is made elsewhere.
  const passed = bare(argument)
  const isFilled = passed.type === 'TemplateLiteral' && passed.expressions.length > 0
  const isMade = !isMember(passed) && passed.type !== 'Identifier' && !isFilled
  const isRead = binding.path.length > 0
  const use = isRead ? `, of which \`${binding.name}\` is read` : ` as \`${binding.name}\``
  if (shown !== '…' && (lastName(argument) !== binding.name || isRead))
    trail.suspect(given, argument, isMade || isRead ? 0.38 : 0.28, `passes \`${shown}\`${use}`, step)
  const passedAt = placeOf({ tree: given.tree, node: argument })
  trail.next(step, argument, { tree: given.tree, name: binding.name, usedAt: passedAt })
}

/** Arguments that have each other's names. */
function order(trail: Trail, step: Step, tree: SourceTree, call: CallNode, owner: FunctionNode): void {
  const names = owner.params.map((parameter) => (parameter.type === 'Identifier' ? parameter.name.toLowerCase() : ''))
  const given = call.arguments.map((argument) => codeWord(tree, argument).split('.').at(-1)?.toLowerCase() ?? '')
  for (const [index, name] of given.entries()) {
    const other = names.indexOf(name)
    const why = `passes \`${name}\` where \`${names[index]}\` is expected: the arguments are swapped`
    if (name !== '' && other >= 0 && other !== index && given[other] !== name)
      trail.suspect({ tree }, call.arguments[index] ?? call, 0.96, why, step)
  }
}

/** A pattern that could not be filled, or one inside of another: `{ user: { name } }`. */
function unfilledPattern(trail: Trail, step: Step, pattern: Node): void {
  const { tree } = step
  const path = [...step.path]
  let node = pattern
  let parent = tree.parentOf(node)
  for (; parent !== undefined && /Pattern$|^ObjectProperty$/.test(parent.type); parent = tree.parentOf(node)) {
    const name = parent.type === 'ObjectProperty' ? nameOfKey(parent.key) : parent.type === 'ArrayPattern' ? '*' : ''
    if (name !== '') path.unshift({ name: name ?? '*', at: { tree, node } })
    node = parent
  }
  if (parent?.type === 'VariableDeclarator') return trail.next(step, parent.init, { path })
  const index = parent !== undefined && isFunction(parent) ? parent.params.findIndex((one) => one === node) : -1
  if (parent !== undefined && isFunction(parent) && index >= 0)
    parameter(trail, { ...step, path }, { name: 'its argument', node, path: [], index }, parent)
}

/** Position of a function among the arguments of a call; -1 if it is not there. */
export function callbackAt(tree: SourceTree, call: CallNode, owner: FunctionNode, lookup: Lookup): number {
  return call.arguments.findIndex(
    (argument) =>
      argument === owner ||
      (argument.type === 'Identifier' &&
        lookup.functionsOf({ tree, node: argument }).some(({ node }) => node === owner)),
  )
}

/** Methods whose callback gets an element, or what a promise gives. */
const perElement: ReadonlySet<string> = new Set(
  'map flatMap filter forEach some every find findLast findIndex reduce sort toSorted then finally'.split(' '),
)

/** Where a function calls what it is given at a position: in its own lines or in functions inside it. */
function callsOfParameter({ tree, node }: Handler, position: number): CallNode[] {
  const parameter = node.params[position]
  if (parameter?.type !== 'Identifier') return []
  return tree.calls.filter(({ callee }) => {
    const inner = bare(callee)
    return inner.type === 'Identifier' && tree.bindingOf(inner.name, inner)?.node === parameter
  })
}

/** Whether a callback gets what a promise gives. */
function isThen({ callee }: CallNode): boolean {
  return isMember(callee) && ['then', 'finally'].includes(lastName(callee) ?? '')
}
