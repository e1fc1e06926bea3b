// A property that its holder does not have: a typo in one of two places, or somebody sets it too late.

import { isClass, nameOfFunction } from './functions.ts'
import { nearNames } from './near-names.ts'
import type { Place } from './project-sources.ts'
import type { SourceTree } from '../errors/source/source-tree.ts'
import { isFunction, isMember, lineOf, nameOfKey, propertyOf } from '../errors/source/syntax.ts'
import type { Key, Step, Trail } from './trail.ts'
import { wholeWord } from './words.ts'

/** `src/cart.ts:12` */
export function placeOf({ tree, node }: Place): string {
  return `${tree.file.path}:${lineOf(node)}`
}

interface MissingKey {
  readonly holder: Place
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
    const isFailedLine = placeOf(key.at) === trail.options.failedAt || key.at.node.type === 'StringLiteral'
    // A file uses what it imports, so the number of uses says nothing about an import.
    const isImport = key.at.node.type.startsWith('Import')
    const isHolderWrong = !isImport && (surplus > 0 || (surplus === 0 && isFailedLine))
    if (key.name !== '*')
      trail.suspect(key.at, key.at.node, isHolderWrong ? 0.93 : 0.98, `reads \`${name}\`, but the name is \`${near}\``)
    const score = isHolderWrong || key.name === '*' ? 0.98 : 0.94
    trail.suspect(holder, at, score, `has \`${near}\`, but \`${name}\` is read`)
    trail.define(step, `Has \`${near}\`, but no \`${name}\``, holder.tree, holder.node, [at])
    return
  }
  if (key.name === '*' || key.isOptional === true || step.isOneOf === true) return
  if (kind === 'other' || standard.has(key.name)) return
  noteSetters(trail, step, key.name)
  trail.suspect(holder, holder.node, 0.7, `has no \`${key.name}\``, step)
  trail.suspect(key.at, key.at.node, 0.66, `reads \`${key.name}\`, which does not exist`, step)
}

/** A name that a module does not export. */
export function noteMissingExport(trail: Trail, step: Step, tree: SourceTree, key: Key): void {
  noteMissing(trail, step, { holder: { tree, node: tree.program }, names: [...tree.exports.keys()], key })
}

/** Functions that set a property that was not there yet, and who names them: they may run too late. */
function noteSetters(trail: Trail, step: Step, name: string): void {
  const { lookup } = trail.options
  for (const tree of lookup.withImported(wholeWord(name))) {
    for (const { left } of tree.assignments) {
      if (!isMember(left) || propertyOf(left) !== name || left.object.type === 'ThisExpression') continue
      const owner = tree.around(left, isFunction)
      const setter = owner === undefined ? null : nameOfFunction(tree, owner)
      const note = `Set here${setter === null ? '' : ` by \`${setter}\``}`
      trail.define({ ...step, name }, note, tree, tree.parentOf(left) ?? left, [lineOf(left)])
      trail.suspect({ tree }, left, 0.6, `sets \`${name}\``, step)
      if (setter === null) continue
      const why = `uses \`${setter}\`, which sets \`${name}\`: it may run too late`
      for (const used of lookup.usesOfName(setter)) trail.suspect(used, used.node, 0.86, why, step)
    }
  }
}

/** Members that every object, function or array has. */
const standard: ReadonlySet<string> = new Set([
  ...'toString constructor hasOwnProperty valueOf length name then catch finally'.split(' '),
  ...Object.getOwnPropertyNames(Array.prototype),
])

function countWord({ options }: Trail, word: string): number {
  const pattern = wholeWord(word)
  const counts = Array.from(options.lookup.withImported(pattern), ({ text }) => text.split(pattern).length - 1)
  return counts.reduce((sum, one) => sum + one, 0)
}

function lineOfKey({ tree, node }: Place, name: string): number {
  if (node.type === 'ObjectExpression')
    return lineOf(node.properties.find((one) => one.type !== 'SpreadElement' && nameOfKey(one.key) === name) ?? node)
  if (isClass(node)) return lineOf(node.body.body.find((part) => 'key' in part && nameOfKey(part.key) === name) ?? node)
  const found = node.type === 'Program' ? tree.exports.get(name) : undefined
  const exported = found !== undefined && 'local' in found ? tree.bindingOf(found.local, node) : found
  return lineOf(exported !== undefined && 'node' in exported ? exported.node : node)
}
