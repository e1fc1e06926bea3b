// Faults in lines that neither the trace nor the value leads to: what a library was given that its message complains of, a response before it,
// a text that was cut, what was taken from an object, imported as something else, or left out when two objects were put together.

import type * as t from '@babel/types'
import { lastName, type Use } from './fault.ts'
import { propertiesOf, callAround, isClass, nameOfFunction, visitOwn } from './functions.ts'
import type { Place } from './project-sources.ts'
import type { SourceTree } from '../errors/source/source-tree.ts'
import {
  bare,
  isFunction,
  isMember,
  nameOfKey,
  propertyOf,
  rootOf,
  visit,
  covers,
  isCall,
  lineOf,
} from '../errors/source/syntax.ts'
import type { CallNode, Node, FunctionNode } from '../errors/source/syntax.ts'
import { type Trail, blank } from './trail.ts'
import { codeWord, wholeWord } from './words.ts'
import type { Frame } from '../errors/flattened-error.ts'
import type { Lookup } from './lookup.ts'

/** Whether a message says that there was a response already. */
export const sentTwice: RegExp = /^Cannot \w+ headers after they are sent|^Reply was already sent/

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

interface FramePlace {
  readonly tree: SourceTree
  readonly frame: Pick<Frame, 'line' | 'column'>
  readonly node: FunctionNode | undefined
}

const responding = /^(?:json|send|sendStatus|sendFile|redirect|render|end|download|jsonp)$/
const responseName = /^(?:res|response|reply)$/

/** A response before the line that a frame is at, after which the function goes on to it. */
export function noteEarlierResponse(trail: Trail, { tree, frame, node: owner }: FramePlace): void {
  if (owner === undefined) return
  const offset = tree.offsetOf(frame.line, frame.column)
  visitOwn(owner, (node) => {
    if (!isCall(node) || !isMember(node.callee) || (node.end ?? 0) > offset) return
    const root = rootOf(node)
    const method = propertyOf(node.callee) ?? ''
    const isResponse = root.type === 'Identifier' && responseName.test(root.name) && responding.test(method)
    if (isResponse && goesOn(tree, node, offset))
      trail.suspect({ tree }, node, 0.97, `responds by ${method}() and goes on: a return is missing`)
  })
}

/** Whether what runs after a call can be a place behind it: no return, throw or other branch is between. */
function goesOn(tree: SourceTree, call: Node, offset: number): boolean {
  const isAround = (node: Node): boolean => covers(node, offset)
  let inner = call
  for (let node = tree.parentOf(call); node !== undefined; node = tree.parentOf(inner)) {
    if (/^(?:Return|Throw)Statement$|^SwitchCase$/.test(node.type)) return false
    if (node.type === 'BlockStatement') {
      const later = node.body.slice(node.body.findIndex((one) => one === inner) + 1)
      if (later.some(isAround)) return true
      if (later.some(({ type }) => /^(?:Return|Throw|Break|Continue)Statement$/.test(type))) return false
    } else if (isAround(node) || isFunction(node)) return false
    inner = node
  }
  return false
}

/** A field of a class that the constructor of its parent reads before it is set. */
export function noteUnsetField(trail: Trail, places: readonly FramePlace[], [use]: readonly Use[]): void {
  const [first] = places
  if (first === undefined || use === undefined || !isMember(use.node) || use.node.object.type !== 'ThisExpression')
    return
  const owner = first.tree.around(use.node, isClass)
  const name = propertyOf(use.node)
  const field = owner?.body.body.find(
    (part) => part.type === 'ClassProperty' && !part.static && nameOfKey(part.key) === name && part.value,
  )
  if (field === undefined || !owner?.superClass) return
  const parents = ancestorsOf(trail.options.lookup, { tree: first.tree, node: owner })
  for (const { tree, node } of places.slice(1)) {
    const isMaking = node?.type === 'ClassMethod' && node.kind === 'constructor'
    const maker = isMaking ? tree.around(node, isClass) : undefined
    if (maker === undefined || !parents.includes(maker)) continue
    const of = maker.id ? ` of \`${maker.id.name}\`` : ' of its parent'
    trail.suspect(first, field, 0.98, `sets \`${name}\` after the constructor${of}, which is still running`)
    const step = { ...blank, tree: first.tree, node: field, name: name ?? '' }
    trail.define(step, 'Is set when the constructor of the parent has ended', first.tree, field, [lineOf(field)])
  }
}

function ancestorsOf(lookup: Lookup, { tree, node }: Place): readonly Node[] {
  const found: Place[] = [{ tree, node }]
  for (const one of found) {
    if (!isClass(one.node) || !one.node.superClass) continue
    for (const parent of lookup.find({ tree: one.tree, node: one.node.superClass }))
      if (isClass(parent.node) && found.every((other) => other.node !== parent.node)) found.push(parent)
  }
  return found.slice(1).map((one) => one.node)
}

/** `app.decorate('db', …)` in a plugin of Fastify: others have it only by `fastify-plugin`. */
export function noteKeptInPlugin(trail: Trail, [use]: readonly Use[]): void {
  if (use === undefined || !isMember(use.node) || use.node.object.type !== 'Identifier') return
  const { lookup } = trail.options
  const name = propertyOf(use.node)
  const registered = [...lookup.fromStart(/\bregister\b/)].flatMap((tree) =>
    tree.calls
      .filter(({ callee }) => isMember(callee) && propertyOf(callee) === 'register')
      .flatMap(({ arguments: [plugin] }) => (plugin ? lookup.functionsOf({ tree, node: plugin }) : [])),
  )
  for (const { tree, node: plugin } of registered) {
    if (callAround(tree, plugin) !== undefined || /skip-override/.test(tree.text)) continue
    visitOwn(plugin, (node) => {
      const [key] = isCall(node) ? node.arguments : []
      if (!isCall(node) || key?.type !== 'StringLiteral' || key.value !== name) return
      if (!isMember(node.callee) || !/^decorate(?:Request|Reply)?$/.test(propertyOf(node.callee) ?? '')) return
      const of = nameOfFunction(tree, plugin)
      const where = of === null ? 'its own plugin' : `the plugin \`${of}\``
      trail.suspect({ tree }, node, 0.96, `gives \`${name}\` only to ${where}: it is not wrapped in fastify-plugin`)
    })
  }
}

const parserName = wholeWord('bodyParser', 'koaBody', 'json', 'urlencoded')

/** A parser of bodies that is added after routes of the same application. */
export function noteLateParser(trail: Trail): void {
  const isParser = (_: SourceTree, made: Node): boolean => isCall(made) && parserName.test(lastName(made.callee) ?? '')
  noteBehindRoutes(trail, parserName, isParser)
}

/** What is added by `use()` after routes of the same application. */
export function noteBehindRoutes(trail: Trail, words: RegExp, isIt: (tree: SourceTree, given: Node) => boolean): void {
  for (const tree of trail.options.lookup.fromStart(words)) {
    const calls = tree.calls.filter((one) => isMember(one.callee) && tree.around(one, isFunction) === undefined)
    const at = calls.findIndex(({ callee, arguments: [one] }) => one && lastName(callee) === 'use' && isIt(tree, one))
    const added = calls[at]
    const routes = calls.slice(0, Math.max(0, at)).find((one) => {
      const [first, last] = [one.arguments[0], one.arguments.at(-1)]
      if (added === undefined || last === undefined || tree.textOf(rootOf(one)) !== tree.textOf(rootOf(added)))
        return false
      if (lastName(one.callee) !== 'use') return isFunction(last)
      return /route/i.test(tree.textOf(last)) || (first !== last && first?.type === 'StringLiteral')
    })
    if (!added || !routes) continue
    const what = codeWord(tree, added.arguments[0] ?? added)
    trail.suspect({ tree }, added, 0.97, `adds \`${what}\` after the routes of line ${lineOf(routes)}`)
  }
}

/** Parsers of bodies of which none takes what was sent. */
export function noteOtherParser(trail: Trail): void {
  const [type = ''] = trail.options.request?.headers['content-type']?.split(';') ?? []
  const parsers = [...trail.options.lookup.fromStart(parserName)].flatMap((tree) =>
    tree.calls.flatMap((call) => {
      const types = typesParsed(tree, call)
      return types === null ? [] : [{ tree, call, types }]
    }),
  )
  if (type === '' || parsers.some(({ types }) => types === undefined || types.some((one) => type.endsWith(one)))) return
  for (const { tree, call, types = [] } of parsers) {
    const said = types.join(' and ').replace('urlencoded', 'forms')
    trail.suspect({ tree }, call, 0.98, `parses only ${said}: this request sent ${type}`)
  }
}

/** How the types end that a call has parsed; `undefined` where they are not known, `null` if it is no such call. */
function typesParsed(tree: SourceTree, call: CallNode): readonly string[] | undefined | null {
  const [called, options] = [tree.textOf(call.callee), call.arguments.map((one) => tree.textOf(one)).join()]
  const [, name] = /^(?:express|bodyParser)\.(json|urlencoded|raw|text)$/.exec(called) ?? []
  if (name === undefined && !/^(?:bodyParser|koaBody|multer)$/.test(called)) return null
  if (name !== undefined) return /\btype\b/.test(options) || /^[rt]/.test(name) ? undefined : [name]
  const [, enabled] = /\benableTypes: *\[((?:\s*['"]\w+['"],?)+)\s*\]/.exec(options) ?? []
  return enabled?.match(/\w+/g)?.map((one) => (one === 'form' ? 'urlencoded' : one === 'text' ? 'plain' : one))
}
