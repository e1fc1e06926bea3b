// Properties: of object literals, of classes, of modules.

import { nearWords } from '../../framework/routing/edit-distance.ts'
import { isClass, membersSet } from './lookup.ts'
import type { Place } from './project-sources.ts'
import { returned } from './returns.ts'
import { isCall, isFunction, isMember, lineOf, nameOfKey, propertyOf, type Node } from './syntax.ts'
import type { Key, Step, Trail } from './trail.ts'

export function ofThis(trail: Trail, step: Step, node: Node, path: readonly Key[]): void {
  const { tree } = step
  const owner = tree.around(node, isClass)
  const [key, ...rest] = path
  if (owner === undefined || key === undefined) return
  ofClass(trail, { ...step, path: [key, ...rest] }, owner)
}

/** A property of a class, its static members included. */
export function ofClass(trail: Trail, step: Step, owner: Node): void {
  const { tree } = step
  const [key, ...rest] = step.path
  if (key === undefined) return
  if (owner.type === 'TSEnumDeclaration') return
  if (!isClass(owner)) return
  const set = membersSet(tree, owner, key.name)
  for (const value of set) {
    trail.define(step, `Assigns \`${key.name}\``, tree, tree.parentOf(value) ?? value, [lineOf(value)])
    trail.suspect(step, value, 0.4, `assigns \`${key.name}\``, step)
    trail.next(step, value, { path: rest, name: key.name, isAwaited: key.isAwaited === true })
  }
  const names: string[] = []
  for (const part of owner.body.body) {
    if (!('key' in part)) {
      if (isFunction(part)) continue
      continue
    }
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
    if (part.type === 'ClassMethod' && part.kind === 'get') returned(trail, step, { tree, node: part }, rest)
    else if (isFunction(part)) {
      if (step.copied !== null)
        trail.suspect(
          step.copied,
          step.copied.node,
          0.97,
          `copies the object without its class, so \`${key.name}()\` is lost`,
          step,
        )
    } else if ('value' in part && part.value) {
      trail.define(step, `Sets \`${key.name}\``, tree, part, [lineOf(part)])
      trail.next(step, part.value, { path: rest, name: key.name, isAwaited: key.isAwaited === true })
    }
  }
  for (const { left } of tree.assignments) {
    const isOwn = isMember(left) && left.object.type === 'ThisExpression' && tree.around(left, isClass) === owner
    const name = isOwn ? propertyOf(left) : null
    if (name !== null) names.push(name)
  }
  if (!names.includes(key.name) && !owner.superClass && key.name !== '*')
    noteMissing(trail, step, { holder: { tree, node: owner }, names, key })
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
      weight: step.weight * (isAny ? 0.6 : 1),
      isAwaited: key?.isAwaited === true,
    })
    if (!isAny) {
      if (step.depth > 0)
        trail.suspect(step, property, isLiteral(property.value) ? 0.44 : 0.32, `sets \`${key.name}\``, step)
      trail.define(step, `Sets \`${key.name}\``, tree, property, [lineOf(property)])
      return
    }
  }
  if (key === undefined) return
  trail.define(step, `Has ${namesText(names)}`, tree, node, [])
  if (!isOpen && (key.name !== '*' || trail.options.fault.kind !== 'other'))
    noteMissing(trail, step, { holder: { tree, node }, names, key })
}

export function literal(trail: Trail, step: Step, node: Node, text: string, score: number): void {
  const { tree } = step
  const { tokens } = trail.options.fault
  const name = step.name === '' ? 'the value' : `\`${step.name}\``
  const word = text.trim().replace(/^(?:\.{0,2}\/)+/, '')
  const token = tokens.find((one) => one === word) ?? tokens.find((one) => saysPart(one, word))
  const near = token === undefined && /^[\w.-]{3,60}$/.test(word) ? nearWords(word, tokens, 1)[0] : undefined
  if (token !== undefined) {
    const at = tree.lineAt((node.start ?? 0) + Math.max(0, tree.textOf(node).indexOf(token)))
    const isArgument = isCall(tree.parentOf(node) ?? node)
    const said = (word.length < token.length ? word : token).slice(0, 60)
    trail.suspect(step, at, isArgument ? 0.8 : 0.9, `has the \`${said}\` that the message names`, step)
  } else if (near !== undefined && near.length > 2 && near.toLowerCase() !== word.toLowerCase().concat('s')) {
    trail.suspect(step, node, 0.93, `has \`${word}\`, but \`${near}\` is asked for`, step)
  } else if (score > 0) trail.suspect(step, node, score, `sets ${name}`, step)
}

/** Whether one of two texts is a telling part of the other. */
function saysPart(token: string, text: string): boolean {
  if (token.length >= 4 && text.includes(token)) return true
  return text.length >= 5 && !/^\W*\w{0,4}$/.test(text) && token.includes(text)
}

/** `src/cart.ts:12` */
export function placeOf({ tree, node }: Place): string {
  return `${tree.file.path}:${lineOf(node)}`
}

export function constant(trail: Trail, step: Step, node: Node): void {
  if (step.depth > 0) trail.suspect(step, node, 0.35, `sets \`${step.name}\``, step)
}

function isLiteral({ type }: Node): boolean {
  return type.endsWith('Literal') && type !== 'TemplateLiteral'
}

function namesText(names: readonly string[]): string {
  const shown = names
    .toReversed()
    .slice(0, 8)
    .map((name) => `\`${name}\``)
    .join(', ')
  return names.length === 0 ? 'no properties' : names.length > 8 ? `${shown} and ${names.length - 8} more` : shown
}

export interface MissingKey {
  readonly holder: Place
  /** The names that it has. */
  readonly names: readonly string[]
  readonly key: Key
}

/** A property that its holder does not have: either place may have the typo; the name that is used more often is right. */
export function noteMissing(trail: Trail, step: Step, { holder, names, key }: MissingKey): void {
  const { tokens, kind } = trail.options.fault
  const wanted = key.name === '*' ? tokens.filter((token) => /^[\w.-]+$/.test(token)) : [key.name]
  for (const name of wanted) {
    const [near] = names.includes(name) ? [] : nearNames(name, names)
    if (near === undefined) continue
    const at = lineOfKey(holder, near)
    const surplus = countWord(trail, name) - countWord(trail, near)
    // The line that fails is rarely the one to change.
    const isFailedLine = placeOf(key.at) === trail.options.failedAt
    const isHolderWrong = surplus > 0 || (surplus === 0 && isFailedLine)
    if (key.name !== '*')
      trail.suspect(key.at, key.at.node, isHolderWrong ? 0.93 : 0.98, `reads \`${name}\`, but the name is \`${near}\``)
    trail.suspect(
      holder,
      at,
      isHolderWrong || key.name === '*' ? 0.98 : 0.94,
      `has \`${near}\`, but \`${name}\` is read`,
    )
    trail.define(step, `Has \`${near}\`, but no \`${name}\``, holder.tree, holder.node, [at])
    return
  }
  if (key.name === '*' || kind === 'other' || standard.has(key.name)) return
  trail.suspect(holder, holder.node, 0.7, `has no \`${key.name}\``, step)
  trail.suspect(key.at, key.at.node, 0.66, `reads \`${key.name}\`, which does not exist`, step)
}

/** Members that every object, function or array has. */
const standard: ReadonlySet<string> = new Set(
  'toString constructor hasOwnProperty valueOf length name then catch finally'
    .split(' ')
    .concat(Object.getOwnPropertyNames(Array.prototype)),
)

/** Names that differ in a few letters, or in one of their parts. */
export function nearNames(name: string, names: readonly string[]): string[] {
  const near = nearWords(name, names, 1).filter((one) => one.length > 2 || one.toLowerCase() === name.toLowerCase())
  if (near.length > 0) return near
  const parts = partsOf(name)
  return names.filter((one) => {
    const others = partsOf(one)
    const shared = parts.filter((part) =>
      others.some((other) => other === part || (part.length > 3 && (other.startsWith(part) || part.startsWith(other)))),
    )
    return shared.length > 0 && shared.length * 2 >= Math.max(parts.length, others.length)
  })
}

/** `['inventory', 'host']` of `inventoryHost` and `INVENTORY_HOST`. */
function partsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_\-.]+/)
    .filter((part) => part !== '')
}

function countWord({ options }: Trail, word: string): number {
  const pattern = new RegExp(`(?<![\\w$])${word.replaceAll(/[^\w]/g, '\\$&')}(?![\\w$])`, 'g')
  return [...options.lookup.trees].reduce((count, { text }) => count + [...text.matchAll(pattern)].length, 0)
}

function lineOfKey({ node }: Place, name: string): number {
  if (node.type === 'ObjectExpression') {
    const property = node.properties.find((one) => one.type !== 'SpreadElement' && nameOfKey(one.key) === name)
    return lineOf(property ?? node)
  }
  if (isClass(node)) return lineOf(node.body.body.find((part) => 'key' in part && nameOfKey(part.key) === name) ?? node)
  if (node.type === 'Program') {
    const exported = node.body.find(
      (one) =>
        one.type === 'ExportNamedDeclaration' &&
        one.declaration != null &&
        ('id' in one.declaration
          ? one.declaration.id?.type === 'Identifier' && one.declaration.id.name === name
          : 'declarations' in one.declaration &&
            one.declaration.declarations.some(({ id }) => id.type === 'Identifier' && id.name === name)),
    )
    return lineOf(exported ?? node)
  }
  return lineOf(node)
}
