// What a process asks of others: the address that did not respond, the limit of time that ended the wait, and the data file that a
// value was read from, whose text is neither read nor shown.

import { statSync } from 'node:fs'
import { posix } from 'node:path'
import { formatAge } from '../base/html/components.ts'
import { performance, wallMs } from '../base/timing/builtins.ts'
import { lastName, leavesOf } from './fault.ts'
import { propertiesOf, returnsOf } from './functions.ts'
import type { Place } from './project-sources.ts'
import type { SourceTree } from '../errors/source/source-tree.ts'
import { isCall, isFunction, isMember, lineOf, nameOfKey, patternNames, visit } from '../errors/source/syntax.ts'
import type { CallNode, Node } from '../errors/source/syntax.ts'
import type { Step, Trail } from './trail.ts'
import { quote } from '../routing/regex-syntax.ts'

const unreachable =
  /\b(?:ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)\s+(\[?[\w.:-]*?[\w\]])(?::(\d+))?(?:$|\s)/
const loopback = /^(?:127\.|localhost$|\[?::1|0\.0\.0\.0)/

/** The lines that make up the host and port which the message names, in every file near the failure. */
export function lookForAddress(trail: Trail, step: Step): void {
  const match = unreachable.exec(trail.options.fault.message)
  if (match === null) return
  const [, host = '', port] = match
  const isOfPort = port !== undefined && loopback.test(host)
  const isIt = (text: string): boolean =>
    isOfPort
      ? text === port || new RegExp(`:${port}(?!\\d)`).test(text)
      : text.toLowerCase().includes(host.toLowerCase())
  const { env, hasTime, lookup } = trail.options
  const named = new Set(Object.keys(env).filter((name) => isIt(env[name] ?? '')))
  const said = port === undefined ? host : `${host}:${port}`
  // The digits of a port may be apart: `5_432`.
  const written = isOfPort ? [...port].join('_?') : quote(host)
  const wanted = new RegExp([written, ...Array.from(named, quote)].join('|'), 'i')
  for (const tree of lookup.withImported(wanted)) {
    if (!hasTime()) return
    visit(tree.program, (node, parent) => {
      const isRead = isMember(node) && named.has(lastName(node) ?? '') && /\benv$/.test(tree.textOf(node.object))
      const isWritten =
        parent?.type !== 'ImportDeclaration' &&
        ((node.type === 'StringLiteral' && isIt(node.value) && isAddress(node.value, parent)) ||
          (node.type === 'NumericLiteral' && isIt(String(node.value)) && isAddress(String(node.value), parent)) ||
          (node.type === 'TemplateElement' && isIt(node.value.raw)))
      if (!isRead && !isWritten) return true
      const why = isRead ? `reads ${lastName(node) ?? 'the environment'}, which names ${said}` : `names ${said}`
      trail.suspect({ tree }, node, 0.97, why)
      trail.define({ ...step, name: said }, 'Is named here', tree, statementOf(tree, node), [lineOf(node)])
      return true
    })
  }
}

/** The lines that make the address of a response that is not JSON. */
export function lookAtUrl(trail: Trail, step: Step, { tree, node }: Place): void {
  const [url] = isCall(node) ? node.arguments : []
  if (!/not valid JSON|Unexpected (?:token|end)/.test(trail.options.fault.message)) return
  // A server that fails is at the right address.
  if (trail.options.work.some(({ category, result }) => category === 'http' && /^5\d\d/.test(result ?? ''))) return
  trail.suspect({ tree }, node, 0.8, 'asks an address that does not send JSON', step)
  const direct = leavesOf(url, 3)
  const waiting = direct.map((leaf) => ({ tree, node: leaf }))
  for (let part = waiting.shift(); part !== undefined && trail.options.hasTime(); part = waiting.shift()) {
    for (const { tree: where, node: made } of trail.options.lookup.find(part)) {
      const isTemplate = made.type === 'TemplateLiteral'
      if (isTemplate) waiting.push(...leavesOf(made, 3).map((leaf) => ({ tree: where, node: leaf })))
      // Of what a template is made of, settings: its other parts are those of one request.
      const isKept = where.around(made, isFunction) === undefined
      const isText = made.type === 'StringLiteral' ? isKept || direct.includes(part.node) : isTemplate && isKept
      if (!isText) continue
      const score = where.textOf(made).includes('/') ? 0.92 : 0.7
      trail.suspect({ tree: where }, made, score, 'is part of an address that does not send JSON')
      trail.define(step, 'Is part of the address', where, statementOf(where, made), [lineOf(made)])
    }
  }
}

/** A short number alone is a port only where that is its name. */
function isAddress(text: string, parent: Node | undefined): boolean {
  return /\D|\d{4}/.test(text) || (parent?.type === 'ObjectProperty' && /port/i.test(nameOfKey(parent.key) ?? ''))
}

const emitters: ReadonlySet<string> = new Set(
  'connect createConnection request createReadStream createWriteStream spawn Socket createServer'.split(' '),
)

/** Who makes a socket, stream or process whose errors nobody hears. */
export function lookAtEmitter(trail: Trail, tree: SourceTree, call: CallNode, step: Step): void {
  const name = lastName(call.callee) ?? ''
  if (!emitters.has(name) || !/\bE[A-Z]{4,}\b|[Ss]ocket|[Ss]tream/.test(trail.options.fault.message)) return
  if (trail.options.lookup.functionsOf({ tree, node: call.callee }).length > 0) return
  // What was to be opened is written where its path is made.
  for (const argument of call.arguments) trail.part({ ...step, tree }, argument, 0.9)
  const owner = tree.around(call, isFunction)
  const text = owner === undefined ? tree.text : tree.textOf(owner)
  if (/\.(?:on|once|addListener)\(\s*['"`]error|\bpipeline\(|\bfinished\(/.test(text)) return
  const holder = tree.parentOf(call)
  // A promise tells its errors to who waits for it.
  const isThen = holder !== undefined && isMember(holder) && /^(?:then|catch)$/.test(lastName(holder) ?? '')
  if (isThen || holder?.type === 'AwaitExpression') return
  // Who gets it may listen.
  const names = holder?.type === 'VariableDeclarator' ? patternNames(holder.id) : []
  const isGiven = (node: Node | null | undefined): boolean =>
    node === call || (node?.type === 'Identifier' && names.includes(node.name))
  if (
    (owner !== undefined && returnsOf(owner).some(isGiven)) ||
    tree.calls.some((one) => one.arguments.some(isGiven) && tree.around(one, isFunction) === owner)
  )
    return
  trail.suspect({ tree }, call, 0.9, `makes what has no listener for 'error'`, step)
  trail.define(step, `Has no listener for 'error'`, tree, statementOf(tree, call), [lineOf(call)])
}

const waitEnded = /\babort|tim(?:ed?|ing)[ -]?out|deadline|exceeded/i
const limitName = /time|limit|deadline|wait|delay|patience|seconds|ms$|Ms\b/i

/** Who sets a limit of time, and the constant or setting that says how long it is. */
export function lookAtLimit(trail: Trail, tree: SourceTree, call: CallNode, step: Step): void {
  if (!waitEnded.test(trail.options.fault.message)) return
  const { callee } = call
  const name = lastName(callee)
  const limits: Node[] = []
  if (name === 'timeout' || name === 'setTimeout') limits.push(...call.arguments.slice(name === 'timeout' ? 0 : 1))
  for (const { key, value } of propertiesOf(call.arguments))
    if (limitName.test(nameOfKey(key) ?? '')) limits.push(value)
  for (const one of call.arguments)
    if (one.type !== 'ObjectExpression' && !isFunction(one) && limitName.test(tree.textOf(one).slice(0, 100)))
      limits.push(one)
  if (name === 'abort') trail.suspect({ tree }, call, 0.86, 'aborts', step)
  for (const limit of limits) {
    for (const found of trail.options.lookup.find({ tree, node: limit })) {
      if (!/^(?:NumericLiteral|BinaryExpression)$/.test(found.node.type)) continue
      const { tree: where, node } = found
      const why = `sets the limit of time: ${where.textOf(node).replaceAll(/\s+/g, ' ').slice(0, 40)}`
      trail.suspect(found, node, lineOf(node) === lineOf(limit) ? 0.93 : 0.98, why)
      trail.define(step, 'Sets the limit of time', where, statementOf(where, node), [lineOf(node)])
    }
    trail.next(step, limit, { tree, path: [] })
  }
}

/** The property or declaration that a value is written in. */
function statementOf(tree: SourceTree, node: Node): Node {
  const parent = tree.parentOf(node)
  return parent?.type === 'ObjectProperty' || parent?.type === 'VariableDeclarator' ? parent : node
}

/** Names the file that `JSON.parse` got its text from, where its path is written in the source. `read`: the line that reads it. */
export function lookAtDataFile(trail: Trail, step: Step, read: Node, text: Node): void {
  const { message } = trail.options.fault
  const at = /\(line (\d+) column (\d+)\)/.exec(message)
  for (const path of pathsOf(trail, { tree: step.tree, node: text }, 0)) {
    if (!/\bJSON\b/.test(message)) {
      noteData(trail, step, read, path)
      continue
    }
    if (!isThere(trail, path)) continue
    const why = at === null ? 'is not valid JSON' : `is not valid JSON: column ${at[2] ?? ''}`
    trail.suspect({ tree: { file: { path } } }, Number(at?.[1] ?? 1), 0.99, why)
  }
}

/** Says of a value that it comes from a file, and when that was written. */
export function noteData(trail: Trail, step: Step, read: Node, path: string): void {
  const key = step.path.find(({ name }) => name !== '*')
  if (!isThere(trail, path)) return
  trail.options.lookup.isOfNow = true
  const { mtimeMs } = statSync(`${trail.options.lookup.sources.files.root}/${path}`)
  const before = mtimeMs < performance.timeOrigin ? ', before this process began' : ''
  const what = key === undefined ? 'reads' : `reads \`${key.name}\` of`
  const why = `${what} ${path}, which was written ${formatAge(Math.max(0, wallMs() - mtimeMs))} ago${before}`
  const isNamed = step.isValue && key !== undefined && step.path.at(-1)?.name !== '*'
  trail.suspect(step, read, isNamed ? 0.72 : 0.45, why, step)
}

function isThere({ options }: Trail, path: string): boolean {
  if (path.startsWith('..')) return false
  return options.lookup.sources.siblings(posix.dirname(path)).includes(posix.basename(path))
}

/** Files that a text was read from, relative to the root. */
function pathsOf(trail: Trail, place: Place, depth: number): string[] {
  const { lookup } = trail.options
  if (depth > 4) return []
  return lookup.find(place).flatMap(({ tree, node }) => {
    if (!isCall(node)) return []
    const [first] = node.arguments
    const name = lastName(node.callee)
    if (name === 'readFile' || name === 'readFileSync')
      return first === undefined ? [] : writtenPath(trail, tree, first)
    return lookup
      .functionsOf({ tree, node: node.callee })
      .flatMap((made) =>
        returnsOf(made.node).flatMap((value) => pathsOf(trail, { tree: made.tree, node: value }, depth + 1)),
      )
  })
}

/** `data/x.json` of `'data/x.json'`, `new URL('./x.json', import.meta.url)` or `join(import.meta.dirname, 'x.json')`. */
function writtenPath(trail: Trail, from: Place['tree'], given: Node): string[] {
  return trail.options.lookup.find({ tree: from, node: given }).map(({ tree, node }) => {
    const parts: string[] = []
    let isBeside = false
    visit(node, (inner) => {
      if (inner.type === 'StringLiteral') parts.push(inner.value)
      if (inner.type === 'TemplateElement') parts.push(inner.value.raw)
      if (inner.type === 'MetaProperty' || (inner.type === 'Identifier' && inner.name === '__dirname')) isBeside = true
      return true
    })
    return posix.join(isBeside ? posix.dirname(tree.file.path) : '.', ...parts)
  })
}
