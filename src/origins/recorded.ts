// What a call is known to have given: a promise that nobody waits for, or what was recorded of it in this request.

import type { Work } from '../errors/error-view.ts'
import { lastName } from './fault.ts'
import { nameOfFunction, returnsOf } from './functions.ts'
import type { Lookup } from './lookup.ts'
import { placeOf } from './module-faults.ts'
import { isAwaited, isPromiseCall } from './smells.ts'
import type { SourceTree } from '../errors/source/source-tree.ts'
import { bare, isCall, isFunction, isMember, lineOf, placeLine, rootOf } from '../errors/source/syntax.ts'
import type { CallNode, FunctionNode, Node } from '../errors/source/syntax.ts'
import { blank, type Step, type Trail } from './trail.ts'

export const promiseMembers: ReadonlySet<string> = new Set(['then', 'catch', 'finally'])

/** A promise whose properties are read: an `await` is missing. */
export function noteLostPromise(trail: Trail, step: Step, node: CallNode): void {
  const { tree, path, isAwaited: isWaited } = step
  const [key] = path
  if (isWaited || isAwaited(tree, node)) return
  const isPromise = isPromiseCall(trail, tree, node)
  const parent = tree.parentOf(node)
  const isWhole = parent === undefined || !isMember(parent)
  if (!isPromise && !(isWhole && isUnsentQuery(trail.options.lookup, tree, node))) return
  if (key !== undefined && promiseMembers.has(key.name)) return
  const name = `${lastName(node.callee) ?? 'the function'}()`
  const score = key === undefined ? 0.92 : 0.985
  const what = isPromise ? 'the value is a promise' : 'the query is not sent before that'
  trail.suspect(step, node, score, `calls \`${name}\` without await: ${what}`, step)
  trail.define(step, 'An await is missing', tree, node, [lineOf(node)])
}

/** Libraries whose queries are sent when somebody waits for them. */
const builders = /^(?:knex|mongoose|@prisma\/client|drizzle-orm(?:\/.+)?)$/
const building =
  /^(?:find\w*|first|select|from|where\w*|and\w*|or\w*|insert|create\w*|update\w*|upsert|del|delete\w*|count\w*|pluck|\w*[jJ]oin|order\w*|sort|limit|offset|skip|returning|values|set|populate|lean|raw|aggregate)$/

/** Whether a call makes a query that has yet to be sent. */
function isUnsentQuery(lookup: Lookup, tree: SourceTree, call: Node, depth = 0): boolean {
  if (!isCall(call) || depth > 3) return false
  const own = lookup.functionsOf({ tree, node: call.callee })
  if (own.length > 0)
    return own.some(
      ({ tree: where, node }) =>
        !node.async && returnsOf(node).some((value) => isUnsentQuery(lookup, where, bare(value), depth + 1)),
    )
  if (!isMember(call.callee) || !building.test(lastName(call.callee) ?? '')) return false
  return lookup.find({ tree, node: rootOf(call) }).some(({ tree: where, node }) => {
    if (!isCall(node)) return false
    const maker = isMember(node.callee) ? node.callee.object : node.callee
    const source = maker.type === 'Identifier' ? where.bindingOf(maker.name, maker)?.source : null
    return source !== null && source !== undefined && builders.test(source.from)
  })
}

/** What the call gave in this request, as it was recorded. */
export function noteRecorded(trail: Trail, step: Step, node: CallNode): void {
  const { tree } = step
  const made = trail.options.work.filter(({ callSite }) => {
    if (callSite === null || !callSite.startsWith(`${tree.file.path}:`)) return false
    return isMadeAt(node, Number(callSite.slice(tree.file.path.length + 1)))
  })
  // Of several at one place it is known only of the one that failed which it is.
  const found = made.findLast(({ isFailed: one }) => one) ?? (made.length === 1 ? made[0] : undefined)
  if (found === undefined) return
  const { name, detail, result, isFailed, durationMs } = found
  if (durationMs === null && step.isValue && !step.isAwaited && !isAwaited(tree, node))
    trail.suspect(step, node, 0.975, `calls \`${lastName(node.callee) ?? 'it'}()\` without await: it had not ended`)
  if (result === null) return
  const text = (detail ?? name).replaceAll(/\s+/g, ' ').slice(0, 160)
  trail.define(step, `${text}: ${result}`, tree, tree.parentOf(node) ?? node, [placeLine(node)])
  const isOfJoin = (one: Node): boolean => isCall(one) && lastName(one.callee) === 'join'
  const isJoined = /\bIN \((?:\?|\$1)\)/i.test(text) && node.arguments.some(isOfJoin)
  if (isFailed) noteFailed(trail, found)
  else if (result === '0 rows' && step.isValue && trail.options.fault.kind === 'nothing')
    trail.suspect(step, node, 0.98, `got 0 rows in this request${isJoined ? ': IN was given one text of join()' : ''}`)
  // The row is there, and what was read of it is not.
  else if (/^[1-9]\d* rows?$/.test(result) && step.path.length > 0 && trail.options.fault.kind === 'nothing')
    trail.suspect(step, node, 0.66, `got ${result} in this request`, step)
}

/** The query or outgoing request whose failure is the error, wherever its promise went. */
export function noteFailedWork(trail: Trail): void {
  const message = trail.options.fault.message.slice(0, 150)
  const failed = trail.options.work.findLast(({ isFailed, result }) => isFailed && result?.includes(message) === true)
  if (failed !== undefined && message !== '') noteFailed(trail, failed)
}

/** Says where it was sent, and of a query who left its transaction open. */
function noteFailed(trail: Trail, { callSite, result, begun }: Work): void {
  const said = [
    [callSite, 0.92, `got ${result ?? ''}`],
    [begun?.callSite, 0.99, `began this transaction in another request, ${begun?.request ?? ''}, and it is still open`],
  ] as const
  for (const [place, score, why] of said) {
    const [, file, line] = /^(.+):(\d+)$/.exec(place ?? '') ?? []
    if (file !== undefined) trail.suspect({ tree: { file: { path: file } } }, Number(line), score, why)
  }
}

/** Whether a call itself is on a line: not those of a chain before it, nor those of the functions that it is given. */
function isMadeAt(node: CallNode, line: number): boolean {
  if (line < placeLine(node) || line > (node.loc?.end.line ?? 0)) return false
  return (
    line === placeLine(node) ||
    !node.arguments.some((one) => isFunction(one) && lineOf(one) <= line && line <= (one.loc?.end.line ?? 0))
  )
}

/** Nobody in the trace called the outermost function: its call, if that lost the promise. */
export function noteLostCaller(
  trail: Trail,
  place: { readonly tree: SourceTree; readonly node: FunctionNode | undefined } | undefined,
): void {
  if (place?.node?.async !== true) return
  const { tree, node } = place
  const given = trail.options.lookup.callOf(tree, node)
  // A function that is passed on is called by somebody else.
  const isPassed = given !== undefined && given.call.arguments.some((argument) => argument === node)
  if (given === undefined || isPassed || given.call.callee === node || isAwaited(given.tree, given.call)) return
  const step = { ...blank, tree: given.tree, node: given.call, usedAt: placeOf({ tree, node }) }
  const parent = given.tree.parentOf(given.call)
  if (parent?.type !== 'ExpressionStatement' && parent?.type !== 'UnaryExpression') return
  const name = nameOfFunction(tree, node)
  if (name === null) return
  trail.suspect(given, given.call, 0.88, `calls \`${name}()\` without await`)
  trail.define({ ...step, name }, 'Is called here without await', given.tree, given.call, [lineOf(given.call)])
}
