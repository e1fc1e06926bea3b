// Properties: of object literals, of classes, of modules.

import { isClass, membersSet, nameOfFunction } from './functions.ts'
import { noteMissing, placeOf } from './module-faults.ts'
import type { Place } from './project-sources.ts'
import { nearNames, nearToken } from './words.ts'
import { returned } from './returns.ts'
import { givesPromise } from './smells.ts'
import type { SourceTree } from '../errors/source/source-tree.ts'
import { bare, isCall, isFunction, isMember, lineOf, nameOfKey, propertyOf } from '../errors/source/syntax.ts'
import type { FunctionNode, Node } from '../errors/source/syntax.ts'
import type { Key, Step, Trail } from './trail.ts'

export function ofThis(trail: Trail, step: Step, node: Node, path: readonly Key[]): void {
  const owner = step.tree.around(node, isClass)
  if (owner !== undefined) ofClass(trail, { ...step, path }, owner)
}

/** Whether the line that failed calls what is read of an object there. */
function isCalledAt(trail: Trail, at: Place): boolean {
  const member = at.tree.parentOf(at.node)
  const call = member && at.tree.parentOf(member)
  return call !== undefined && isCall(call) && call.callee === member && placeOf(at) === trail.options.failedAt
}

/** A property of a class, its static members included. */
export function ofClass(trail: Trail, step: Step, owner: Node): void {
  const { tree } = step
  const [key, ...rest] = step.path
  if (key === undefined || !isClass(owner)) return
  const set = membersSet(tree, owner, key.name)
  for (const value of set) {
    trail.define(step, `Assigns \`${key.name}\``, tree, tree.parentOf(value) ?? value, [lineOf(value)])
    trail.suspect(step, value, 0.4, `assigns \`${key.name}\``, step)
    const isOneOf = step.isOneOf === true || set.length > 1
    trail.next(step, value, { path: rest, name: key.name, isAwaited: key.isAwaited === true, isOneOf })
  }
  const names: string[] = []
  for (const part of owner.body.body) {
    if (!('key' in part)) continue
    const name = nameOfKey(part.key)
    if (name !== null) names.push(name)
    if (part.type === 'ClassMethod' && part.kind === 'constructor') {
      for (const parameter of part.params) {
        if (parameter.type !== 'TSParameterProperty') continue
        const { parameter: inner } = parameter
        const id = inner.type === 'AssignmentPattern' ? inner.left : inner
        if (id.type !== 'Identifier') continue
        names.push(id.name)
        if (id.name === key.name) trail.next(step, id, { path: rest, isAwaited: key.isAwaited === true })
      }
    }
    if (name !== key.name) continue
    if (part.type === 'ClassMethod' && part.kind === 'get') {
      if (rest.length > 0 && key.isAwaited !== true && givesPromise(trail, { tree, node: part }))
        trail.suspect(key.at, key.at.node, 0.985, `reads \`${key.name}\` without await: the value is a promise`, step)
      if (trail.options.fault.kind === 'not-callable' && rest.length === 0 && isCalledAt(trail, key.at))
        return trail.suspect(key.at, key.at.node, 0.98, `calls \`${key.name}\`, which is a getter`, step)
      returned(trail, step, { tree, node: part }, rest)
    } else if (isFunction(part)) {
      const why = `copies the object without its class, so \`${key.name}()\` is lost`
      if (step.copied !== null) trail.suspect(step.copied, step.copied.node, 0.97, why, step)
    } else if ('value' in part && part.value) {
      trail.define(step, `Sets \`${key.name}\``, tree, part, [lineOf(part)])
      trail.next(step, part.value, { path: rest, name: key.name, isAwaited: key.isAwaited === true })
    }
  }
  for (const call of tree.calls) {
    const { callee } = call
    if (!isMember(callee) || !/^(?:push|unshift|set|add)$/.test(propertyOf(callee) ?? '')) continue
    const kept = bare(callee.object)
    const isIt = isMember(kept) && kept.object.type === 'ThisExpression' && propertyOf(kept) === key.name
    const value = call.arguments.at(-1)
    if (!isIt || tree.around(call, isClass) !== owner || value === undefined) continue
    trail.suspect(step, call, 0.5, `puts the value into \`${key.name}\``, step)
    trail.next(step, value, { path: rest.slice(1), name: key.name })
  }
  for (const { left } of tree.assignments) {
    const isOwn = isMember(left) && left.object.type === 'ThisExpression' && tree.around(left, isClass) === owner
    const name = isOwn ? propertyOf(left) : null
    if (name !== null) names.push(name)
  }
  const isOpen = owner.superClass != null || mayGetMore(tree, owner)
  if (!names.includes(key.name) && !isOpen && key.name !== '*')
    noteMissing(trail, step, { holder: { tree, node: owner }, names, key })
}

/** Whether an object of a class may have properties that the class does not write: `Object.assign(this, values)`, `this[name] = value`. */
function mayGetMore(tree: SourceTree, owner: Node): boolean {
  const isOwn = (node: Node | undefined): boolean =>
    node?.type === 'ThisExpression' && tree.around(node, isClass) === owner
  return (
    tree.calls.some((call) => call.arguments.some(isOwn)) ||
    tree.assignments.some(({ left }) => isMember(left) && propertyOf(left) === null && isOwn(left.object))
  )
}

/** `this` is undefined: somebody passed the method without its object. */
export function lostThis(trail: Trail, step: Step, node: Node): void {
  const { tree } = step
  const method = tree.around(
    node,
    (one): one is FunctionNode => isFunction(one) && one.type !== 'ArrowFunctionExpression',
  )
  const name = method === undefined ? null : nameOfFunction(tree, method)
  if (name === null || method === undefined) return
  // `const { total } = cart`
  const given = trail.options.lookup.callers.get(method)
  const taken = given?.call.callee.type === 'Identifier' ? given.tree.bindingOf(name, given.call.callee) : undefined
  if (given && taken?.path.at(-1) === name)
    trail.suspect(given, taken.node, 0.97, `takes \`${name}\` out of its object: \`this\` is lost`, step)
  for (const { tree: where, node: used } of trail.options.lookup.usesOfName(name)) {
    if (!isMember(used)) continue
    trail.suspect({ tree: where }, used, 0.96, `passes \`${name}\` without its object: \`this\` is lost`, step)
    trail.define(step, 'Is passed without its object', where, where.parentOf(used) ?? used, [lineOf(used)])
  }
}

export function ofObject(trail: Trail, step: Step, node: Node & { readonly type: 'ObjectExpression' }): void {
  const { tree } = step
  const [key, ...rest] = step.path
  const names: string[] = []
  let isOpen = false
  for (const property of node.properties.toReversed()) {
    if (property.type === 'SpreadElement') {
      isOpen = true
      trail.next(step, property.argument, { copied: { tree, node: property } })
      continue
    }
    const name = nameOfKey(property.key)
    if (name === null || property.computed) isOpen = true
    else names.push(name)
    const isAny = key === undefined || key.name === '*'
    if (!isAny && name !== key.name) continue
    if (property.type === 'ObjectMethod') {
      if (property.kind === 'get') returned(trail, step, { tree, node: property }, rest)
      continue
    }
    literal(trail, step, property, name ?? '', 0)
    trail.next(step, property.value, {
      path: rest,
      name: name ?? step.name,
      weight: step.weight * (isAny ? 0.8 : 1),
      isValue: step.isValue && key !== undefined,
      isAwaited: key?.isAwaited === true,
    })
    if (!isAny) {
      const isLiteral = /^(?!Template).*Literal$/.test(property.value.type)
      if (step.depth > 0) trail.suspect(step, property, isLiteral ? 0.44 : 0.32, `defines \`${key.name}\``, step)
      trail.define(step, `Sets \`${key.name}\``, tree, property, [lineOf(property)])
      return
    }
  }
  if (key === undefined) return
  trail.define(step, `Has ${namesText(names)}`, tree, node, [])
  if (!isOpen && !names.includes(key.name) && (key.name !== '*' || trail.options.fault.kind !== 'other'))
    noteMissing(trail, step, { holder: { tree, node }, names, key })
}

export function literal(trail: Trail, step: Step, node: Node, text: string, score: number): void {
  const { tree } = step
  const { tokens } = trail.options.fault
  const name = /^[\w$.#]+$/.test(step.name) ? `\`${step.name}\`` : 'it'
  const word = text.trim().replace(/^(?:\.{0,2}\/)+/, '')
  noteColumn(trail, step, node, text)
  const isWhole = node.type !== 'TemplateElement' || !tree.textOf(tree.parentOf(node) ?? node).includes('${')
  const token = tokens.find((one) => one === word) ?? tokens.find((one) => saysPart(one, word))
  // The name of a property that nobody reads here is not what the message asks for.
  const isRead = node.type !== 'ObjectProperty' || step.path.length > 0
  const near = token === undefined && isRead && /^[\w.-]{2,60}$/.test(word) ? nearToken(word, tokens) : undefined
  if (token !== undefined) {
    const at = tree.lineAt((node.start ?? 0) + Math.max(0, tree.textOf(node).indexOf(token)))
    const isArgument = isCall(tree.parentOf(node) ?? node)
    const said = (word.length < token.length ? word : token).slice(0, 60)
    // What the message quotes is the value, however long the way was.
    trail.suspect(step, at, (isArgument ? 0.8 : 0.9) * 0.99 ** step.depth, `contains the \`${said}\` from the message`)
  } else if (near !== undefined) {
    trail.suspect(step, node, 0.93 * 0.99 ** step.depth, `has \`${word}\`, but \`${near}\` is asked for`)
  } else if (isWhole && isBroken(trail.options.fault.message, text)) {
    trail.suspect(step, node, 0.99, `is text that is not valid JSON${placeIn(trail.options.fault.message)}`)
  } else if (score > 0 && step.isValue)
    trail.suspect(step, node, isCall(tree.parentOf(node) ?? node) ? score * 0.7 : score, `defines ${name}`, step)
}

/** Whether parsing a text fails with just the message. */
function isBroken(message: string, text: string): boolean {
  if (!/\bJSON\b/.test(message) || text === '' || text.length > 100_000) return false
  try {
    JSON.parse(text)
    return false
  } catch (error) {
    return error instanceof SyntaxError && error.message === message
  }
}

function placeIn(message: string): string {
  const at = /at position (\d+)/.exec(message)?.[1]
  return at === undefined ? '' : ` at its character ${Number(at) + 1}`
}

/** A column that the text of a query names almost as the code reads it. */
function noteColumn(trail: Trail, step: Step, node: Node, text: string): void {
  // `pg` has its rows under this name.
  const key = step.path.find(({ name }, index) => name !== '*' && !(name === 'rows' && index === 0))
  if (key === undefined || !/\bselect\b/i.test(text)) return
  if (key === step.path.at(-1) && /^\w+$/.test(key.name)) noteJoin(trail, step, node, key.name)
  const words = [...new Set(text.match(/\w+/g) ?? [])]
  const [near] = words.includes(key.name) ? [] : nearNames(key.name, words)
  if (near === undefined) return
  const { tree } = step
  const at = tree.lineAt((node.start ?? 0) + tree.textOf(node).lastIndexOf(near))
  trail.suspect(step, at, 0.95, `selects \`${near}\`, but \`${key.name}\` is read`)
  trail.suspect(key.at, key.at.node, 0.93, `reads \`${key.name}\`, but the query selects \`${near}\``)
}

/** The outer join that a null comes from: `s.street` of `LEFT JOIN addresses s ON …`. */
function noteJoin(trail: Trail, step: Step, node: Node, column: string): void {
  if (!/\bof null\b|\bis null\b/.test(trail.options.fault.message)) return
  const text = step.tree.textOf(node)
  const [, alias] =
    new RegExp(`(\\w+)\\.${column}\\b(?!\\s+as\\b)|(\\w+)\\.\\w+\\s+as\\s+${column}\\b`, 'i')
      .exec(text)
      ?.filter(Boolean) ?? []
  if (alias === undefined) return
  const join = new RegExp(`\\bleft\\s+(?:outer\\s+)?join\\s+(?:\\w+\\s+(?:as\\s+)?)?${alias}\\b`, 'i').exec(text)
  if (join === null) return
  const at = step.tree.lineAt((node.start ?? 0) + join.index)
  trail.suspect(step, at, 0.97, `joins \`${alias}\`, whose \`${column}\` is null in this row`)
}

/** Whether one of two texts is a telling part of the other. */
function saysPart(token: string, text: string): boolean {
  if (token.length >= 4 && hasWord(text, token)) return true
  return text.length >= 5 && !/^\W*\w{0,4}$/.test(text) && token.includes(text)
}

function hasWord(text: string, word: string): boolean {
  const at = text.indexOf(word)
  return at >= 0 && !/\w/.test(`${at === 0 ? '' : text[at - 1]}${text[at + word.length] ?? ''}`)
}

export function ofArray(trail: Trail, step: Step, node: Node & { readonly type: 'ArrayExpression' }): void {
  const { elements } = node
  const [key, ...rest] = step.path
  const isElement = key?.name === '*'
  const at = elements.some((one) => one?.type === 'SpreadElement') ? undefined : key?.index
  for (const element of at === undefined ? elements.slice(0, 20) : elements.slice(at, at + 1))
    trail.next(step, element, {
      path: isElement ? rest : step.isValue ? [] : step.path,
      isValue: step.isValue && isElement,
    })
  if (key !== undefined && !isElement && step.isValue && step.isOneOf !== true && !(key.name in []))
    trail.suspect(step, node, 0.8, `makes a list, but \`${key.name}\` is read of it`, step)
  if (elements.length === 0 && trail.options.fault.message.startsWith('Reduce of empty array'))
    trail.suspect(step, node, 0.9, 'is empty', step)
  else if (step.depth > 0 && step.isValue) trail.suspect(step, node, 0.35, `defines \`${step.name}\``, step)
}

function namesText(names: readonly string[]): string {
  const shown = names
    .toReversed()
    .slice(0, 8)
    .map((name) => `\`${name}\``)
    .join(', ')
  return names.length === 0 ? 'no properties' : names.length > 8 ? `${shown} and ${names.length - 8} more` : shown
}
