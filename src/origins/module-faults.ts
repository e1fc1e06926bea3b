// Errors of modules: circles of imports, names that a module does not export, files that are not there.

import { isClass, nameOfFunction } from './functions.ts'
import { nearNames, wholeWord } from './words.ts'
import type { Place } from './project-sources.ts'
import type { SourceTree } from '../errors/source/source-tree.ts'
import { isFunction, isMember, lineOf, nameOfKey, propertyOf, moduleOf } from '../errors/source/syntax.ts'
import type { Key, Step, Trail } from './trail.ts'
import { posix } from 'node:path'

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

const maxFiles = 60

/** Notes what is wrong between modules. `trees` are the files of the trace. */
export function lookAtModules(trail: Trail, trees: readonly SourceTree[], step: Step): void {
  const { fault } = trail.options
  const [first] = trees
  if ((fault.kind === 'early' || fault.kind === 'not-callable') && first !== undefined) noteCircle(trail, first, step)
  const unexported = /requested module '([^']+)' does not provide an export named '([^']+)'/.exec(fault.message)
  if (unexported !== null) noteUnexported(trail, trees, unexported[1] ?? '', unexported[2] ?? '', step)
  const missing = /Cannot find (?:module|package) '([^']+)' imported from (\S+)/.exec(fault.message)
  if (missing !== null) noteUnfound(trail, missing[1] ?? '', missing[2] ?? '', step)
}

/** A name that is used, or was taken by `require()`, while its module still waits for this one. */
function noteCircle(trail: Trail, tree: SourceTree, step: Step): void {
  const { lookup, fault } = trail.options
  const isTaken = fault.kind === 'not-callable'
  const [name = '', ...path] = fault.subject.split('.')
  const binding = tree.bindingOf(name, tree.program)
  if (binding === undefined) return
  const { value, node: declared } = binding
  const from = isTaken ? value && moduleOf(value) : binding.source?.from
  const named = { ...step, name: fault.subject }
  const isThere = isTaken && lookup.find({ tree, node: declared }, path).some((found) => isFunction(found.node))
  if (isTaken && !isThere) return
  if (!from) {
    const around = tree.parentOf(declared) ?? declared
    trail.define(named, 'Is declared here, after it is used', tree, around, [lineOf(declared)])
    trail.suspect({ tree }, declared, 0.8, `declares \`${fault.subject}\` after it is used`)
    return
  }
  const start = tree.file.path
  const target = lookup.sources.resolve(start, from)
  const circle = target === null ? null : pathBetween(trail, target, start, isTaken)
  if (circle === null) return
  const names = [start, ...circle].join(' → ')
  for (const [index, path] of [start, ...circle.slice(0, -1)].entries()) {
    const member = lookup.sources.tree(path)
    const isNext = (one: string): boolean => lookup.sources.resolve(path, one) === circle[index]
    const load = isTaken ? member?.calls.find((call) => isNext(moduleOf(call) ?? '')) : undefined
    const line = load === undefined ? member?.imports.find((one) => isNext(one.from))?.line : lineOf(load)
    const node = member?.program.body.find((one) => lineOf(one) === line)
    if (member === null || line === undefined || node === undefined) continue
    const note = index === 0 ? `The imports go in a circle: ${names}` : `Imports ${circle[index] ?? ''}`
    trail.define(named, note, member, node, [line])
    trail.suspect({ tree: member }, line, index === 0 ? 0.95 : 0.85, `imports in a circle: ${names}`)
  }
}

/** The files from one to another along static imports, or along what they load as they run; the first left out. */
function pathBetween({ options }: Trail, from: string, to: string, isLoaded: boolean): string[] | null {
  const { sources } = options.lookup
  const waiting: string[][] = [[from]]
  const seen = new Set([from])
  for (const path of waiting) {
    if (seen.size >= maxFiles || !options.hasTime()) return null
    const last = path.at(-1) ?? from
    if (last === to) return path
    const { imports = [], loads = [] } = sources.tree(last) ?? {}
    for (const one of isLoaded ? loads : imports.map((each) => each.from)) {
      const next = sources.resolve(last, one)
      if (next === null || seen.has(next)) continue
      if (next !== to) seen.add(next)
      waiting.push([...path, next])
    }
  }
  return null
}

/** Finds the import among the files that those of the trace load. */
function noteUnexported(trail: Trail, trees: readonly SourceTree[], specifier: string, name: string, step: Step): void {
  const { lookup } = trail.options
  const { sources } = lookup
  const paths = trees.map(({ file }) => file.path)
  for (const tree of lookup.withImported(wholeWord(specifier), paths)) {
    for (const node of tree.program.body) {
      if (node.type !== 'ImportDeclaration' || node.source.value !== specifier) continue
      const wanted = node.specifiers.find(
        (one) => (one.type === 'ImportSpecifier' ? nameOfKey(one.imported) : 'default') === name,
      )
      if (wanted === undefined) continue
      trail.suspect({ tree }, wanted, 0.9, `imports \`${name}\`, which the module does not export`)
      trail.define({ ...step, name }, `${specifier} does not export \`${name}\``, tree, node, [lineOf(node)])
      const path = sources.resolve(tree.file.path, specifier)
      const target = path === null ? null : sources.tree(path)
      if (target !== null) noteMissingExport(trail, step, target, { name, at: { tree, node: wanted } })
      return
    }
  }
}

/** The import of a file that is not there, and the names that are there. */
function noteUnfound(trail: Trail, wanted: string, importer: string, step: Step): void {
  const { sources } = trail.options.lookup
  const { root } = sources.files
  if (!importer.startsWith(`${root}/`)) return
  const path = importer.slice(root.length + 1)
  const tree = sources.tree(path)
  const line = tree?.imports.find(
    ({ from }) => from === wanted || posix.join(root, posix.dirname(path), from) === wanted,
  )?.line
  const node = tree?.program.body.find((one) => lineOf(one) === line)
  if (tree === null || line === undefined || node === undefined) return
  const folder = posix.dirname(wanted).slice(root.length + 1)
  const near = wanted.startsWith(root) ? nearNames(posix.basename(wanted), sources.siblings(folder)) : []
  const note =
    near.length === 0
      ? 'Imports a file that is not there'
      : `Imports a file that is not there; ${near.slice(0, 3).join(', ')} is`
  trail.suspect({ tree }, line, 0.97, note.charAt(0).toLowerCase() + note.slice(1))
  trail.define({ ...step, name: posix.basename(wanted) }, note, tree, node, [line])
}
