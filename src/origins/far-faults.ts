// Faults in lines that neither the trace nor the value leads to: what a library was given that its message complains of, a response before it,
// a text that was cut, what was taken from an object, imported as something else, or left out when two objects were put together.

import type * as t from '@babel/types'
import { lastName, type Use } from './fault.ts'
import { propertiesOf } from './functions.ts'
import type { Place } from './project-sources.ts'
import type { SourceTree } from '../errors/source/source-tree.ts'
import { bare, isFunction, isMember, nameOfKey, propertyOf, rootOf, visit } from '../errors/source/syntax.ts'
import type { CallNode, Node } from '../errors/source/syntax.ts'
import { noteEarlierResponse, sentTwice } from './order-faults.ts'
import type { Trail } from './trail.ts'
import { codeWord, wholeWord } from './words.ts'

/** What a message is about, the words of the lines that may be at fault, and who looks at each call of such a file. */
const complaints: readonly (readonly [RegExp, RegExp, (trail: Trail, tree: SourceTree, call: CallNode) => void])[] = [
  [/transaction function cannot return a promise/i, wholeWord('transaction'), noteAsyncTransaction],
  [/entity too large|body (?:is )?too large|file too large/i, /limit|json\(|urlencoded\(/i, noteBodyLimit],
  [
    /\bjwt\b|\bclaim\b.*\b(?:nbf|exp|iat)\b|token (?:is )?(?:expired|not active)/i,
    wholeWord('exp', 'nbf', 'iat'),
    noteTokenTime,
  ],
  [sentTwice, /\bnext\(/, noteResponseInFront],
  [/(?:Unterminated string|Expected .+) in JSON at position \d\d/, /\.(?:slice|substr)/, noteCut],
  [/^ENOENT.*%20/, wholeWord('pathname'), notePathname],
  [/^/, /\.use\(/, noteUncalledHandler],
]

/** `uses`: what the line that failed is about. */
export function lookFarAway(trail: Trail, uses: readonly Use[]): void {
  const { lookup, fault } = trail.options
  for (const [message, words, look] of complaints)
    for (const tree of message.test(fault.message) ? lookup.fromStart(words) : [])
      for (const call of tree.calls) look(trail, tree, call)
  for (const { tree, node: used } of uses.slice(0, 1)) {
    const node = bare(used)
    if (fault.kind === 'not-callable') noteImportedObject(trail, { tree, node })
    if (fault.kind !== 'nothing') continue
    noteCopiedEarly(trail, { tree, node })
    if (!isMember(node)) continue
    noteDeleted(trail, node)
    noteReplacedPart(trail, { tree, node })
  }
}

/** A function behind `use()` of Express that is meant for errors. */
function noteUncalledHandler(trail: Trail, tree: SourceTree, { callee, arguments: given }: CallNode): void {
  const isExpress = tree.loads.includes('express') || tree.imports.some(({ from }) => from === 'express')
  for (const one of isExpress && lastName(callee) === 'use' ? given : [])
    for (const found of trail.options.lookup.functionsOf({ tree, node: one })) {
      const [first, , last, fourth] = found.node.params
      const isOfError = first?.type === 'Identifier' && /^(?:err|error|exception)$/i.test(first.name)
      // What failed by itself would have failed with any handler.
      const score = trail.options.fault.kind === 'other' ? 0.9 : 0.5
      if (isOfError && last && !fourth)
        trail.suspect(found, found.node, score, 'takes three parameters: Express gives errors to functions with four')
    }
}

function notePathname(trail: Trail, tree: SourceTree, made: CallNode): void {
  const [path, base] = lastName(made.callee) === 'URL' ? made.arguments : []
  const isOfFile = base !== undefined && tree.textOf(base) === 'import.meta.url' && path?.type === 'StringLiteral'
  const read = tree.parentOf(made)
  const isRead = read !== undefined && isMember(read) && propertyOf(read) === 'pathname'
  if (isRead && isOfFile && trail.options.fault.message.includes(encodeURI(path.value.replace(/^\.\//, ''))))
    trail.suspect({ tree }, read, 0.97, 'has `%20` for a blank: `fileURLToPath()` gives the path of a file')
}

function noteAsyncTransaction(trail: Trail, tree: SourceTree, { callee, arguments: [given] }: CallNode): void {
  if (lastName(callee) === 'transaction' && given && isFunction(given) && given.async)
    trail.suspect({ tree }, given, 0.97, 'gives `transaction()` an async function')
}

/** A middleware that responds, and goes on to the next one. */
function noteResponseInFront(trail: Trail, tree: SourceTree, { callee }: CallNode): void {
  const owner = tree.around(callee, isFunction)
  const isNext =
    owner?.params.length === 3 && callee.type === 'Identifier' && tree.bindingOf(callee.name, callee)?.index === 2
  if (!isNext || trail.options.evidence?.neverRan(tree, callee) === true) return
  const { line = 1, column = 0 } = callee.loc?.start ?? {}
  noteEarlierResponse(trail, { tree, frame: { line, column: column + 1 }, node: owner })
}

/** A limit of characters that is where a JSON text ends. */
function noteCut(trail: Trail, tree: SourceTree, { callee, arguments: [, limit] }: CallNode): void {
  const [, at = ''] = /position (\d+)/.exec(trail.options.fault.message) ?? []
  const isCut = /^(?:slice|substr|substring)$/.test(lastName(callee) ?? '')
  for (const { node } of limit && isCut ? trail.options.lookup.find({ tree, node: limit }) : [])
    if (node.type === 'NumericLiteral' && String(node.value) === at)
      trail.suspect({ tree }, callee, 0.97, `cuts a text at ${at} characters, which is where the JSON ends`)
}

const limits = /^(?:bodyLimit|fileSize|maxFileSize|jsonLimit|formLimit|textLimit)$/
const parsers = /(?:\bjson|\burlencoded|\braw|\btext|body\w*|multer|multipart)$/i

function noteBodyLimit(trail: Trail, tree: SourceTree, call: CallNode): void {
  const name = tree.textOf(call.callee)
  let isSet = false
  for (const part of propertiesOf(call.arguments)) {
    const key = nameOfKey(part.key) ?? ''
    if (!limits.test(key) && !(key === 'limit' && parsers.test(name))) continue
    isSet = true
    for (const { tree: where, node: value } of trail.options.lookup.find({ tree, node: part.value }))
      trail.suspect({ tree: where }, value, 0.95, `limits what is sent: ${where.textOf(value).slice(0, 40)}`)
  }
  if (!isSet && /^express\.(?:json|urlencoded)$/.test(name))
    trail.suspect({ tree }, call, 0.8, 'takes 100 kB at most, because no `limit` is given')
}

function noteTokenTime(trail: Trail, tree: SourceTree, call: CallNode): void {
  if (!/sign|jwt|token/i.test(tree.textOf(call.callee))) return
  for (const part of propertiesOf(call.arguments)) {
    const name = nameOfKey(part.key) ?? ''
    for (const found of /^(?:exp|nbf|iat)$/.test(name) ? trail.options.lookup.find({ tree, node: part.value }) : [])
      if (found.tree.textOf(found.node) === 'Date.now()')
        trail.suspect(found, found.node, 0.97, `gives \`${name}\` in milliseconds: a token counts seconds`)
  }
}

/** `import slugify from './slug.ts'`, which exports an object as its default. */
function noteImportedObject(trail: Trail, { tree, node }: Place): void {
  const binding = node.type === 'Identifier' ? tree.bindingOf(node.name, node) : undefined
  if (binding?.kind !== 'import' || !binding.source) return
  const [found] = trail.options.lookup.exported(tree, binding.source.from, binding.source.name)
  if (found?.node.type !== 'ObjectExpression') return
  const isIn = trail.options.lookup.find(found, [binding.name]).length > 0
  const what = isIn ? `, whose \`${binding.name}\` is meant` : ''
  trail.suspect({ tree }, binding.node, 0.97, `imports an object as \`${binding.name}\`${what}`)
}

/** `const { db } = state` of a file that is loaded before somebody sets `state.db`. */
function noteCopiedEarly(trail: Trail, { tree, node }: Place): void {
  const root = rootOf(node)
  const binding = root.type === 'Identifier' ? tree.bindingOf(root.name, root) : undefined
  const { lookup } = trail.options
  if (binding?.kind !== 'variable' || binding.scope !== tree.program || binding.value === null) return
  const { value } = binding
  const [key, holder] =
    binding.path.length === 1 ? [binding.path[0], value] : isMember(value) ? [propertyOf(value), value.object] : []
  const [object] = holder ? lookup.find({ tree, node: holder }) : []
  if (!key || object === undefined) return
  for (const other of lookup.withImported(wholeWord(key)))
    for (const { left } of other.assignments) {
      const isIt =
        isMember(left) &&
        propertyOf(left) === key &&
        lookup.find({ tree: other, node: left.object })[0]?.node === object.node
      if (!isIt || other.around(left, isFunction) === undefined) continue
      const why = `takes \`${key}\` once, when its file is loaded, and does not see what ${other.file.path}:${other.lineAt(left.start ?? 0)} sets`
      trail.suspect({ tree }, binding.node, 0.95, why)
    }
}

function noteDeleted(trail: Trail, read: t.MemberExpression | t.OptionalMemberExpression): void {
  const { lookup, evidence } = trail.options
  const key = propertyOf(read)
  if (key === null) return
  for (const tree of lookup.withImported(/\bdelete\b/))
    visit(tree.program, (node) => {
      const deleted = node.type === 'UnaryExpression' && node.operator === 'delete' ? node.argument : undefined
      const isIt =
        deleted !== undefined &&
        isMember(deleted) &&
        propertyOf(deleted) === key &&
        lastName(deleted.object) === lastName(read.object)
      if (isIt && evidence?.neverRan(tree, node) !== true)
        trail.suspect({ tree }, node, evidence === undefined ? 0.75 : 0.96, `deletes \`${codeWord(tree, deleted)}\``)
      return true
    })
}

/** `{ ...defaults, ...local }`, where `mail` of the later object lacks what `mail` of the earlier one has. */
function noteReplacedPart(trail: Trail, { tree, node }: Place): void {
  const { lookup } = trail.options
  const has = (place: Place, path: readonly string[]): boolean => lookup.find(place, path).length > 0
  const keys: string[] = []
  let root: Node = node
  for (; isMember(root); root = bare(root.object)) keys.unshift(propertyOf(root) ?? '*')
  const [part = '', key = ''] = keys
  if (keys.length < 2) return
  for (const { tree: where, node: made } of lookup.find({ tree, node: root })) {
    const spreads =
      made.type === 'ObjectExpression' ? made.properties.filter((one) => one.type === 'SpreadElement') : []
    const [last, ...earlier] = spreads.toReversed().filter((one) => has({ tree: where, node: one.argument }, [part]))
    const replaced = last === undefined ? [] : lookup.find({ tree: where, node: last.argument }, [part])
    const isWithout = ({ node: one }: Place): boolean =>
      one.type === 'ObjectExpression' &&
      one.properties.every((given) => given.type !== 'SpreadElement' && nameOfKey(given.key) !== key)
    if (last === undefined || !replaced.every(isWithout)) continue
    const first = earlier.find((one) => has({ tree: where, node: one.argument }, [part, key]))
    if (first === undefined) continue
    const said = `\`${where.textOf(last)}\` replaces the whole \`${part}\` of \`${where.textOf(first)}\``
    trail.suspect({ tree: where }, last, 0.97, `${said}, with its \`${key}\``)
  }
}
