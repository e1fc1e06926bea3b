// What comes too early or too late, or where nobody sees it: a second response, a field that is not set yet, a value that a plugin keeps
// to itself, a parser of bodies after the routes.

import type { Frame } from '../errors/flattened-error.ts'
import type { SourceTree } from '../errors/source/source-tree.ts'
import { covers, isCall, isFunction, isMember, lineOf, nameOfKey, propertyOf, rootOf } from '../errors/source/syntax.ts'
import type { CallNode, FunctionNode, Node } from '../errors/source/syntax.ts'
import { lastName, type Use } from './fault.ts'
import { callAround, isClass, nameOfFunction, visitOwn } from './functions.ts'
import type { Lookup } from './lookup.ts'
import type { Place } from './project-sources.ts'
import { blank, type Trail } from './trail.ts'
import { codeWord, wholeWord } from './words.ts'

interface FramePlace {
  readonly tree: SourceTree
  readonly frame: Pick<Frame, 'line' | 'column'>
  readonly node: FunctionNode | undefined
}

/** Whether a message says that there was a response already. */
export const sentTwice: RegExp = /^Cannot \w+ headers after they are sent|^Reply was already sent/

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
