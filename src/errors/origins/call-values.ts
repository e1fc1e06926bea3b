// What a call gives: the results of the application's own functions, and what the language's own ones make of their arguments.

import { lookAtDataFile } from './data-files.ts'
import { lastName, leavesOf } from './fault.ts'
import { isClass, moduleOf, returnsOf } from './functions.ts'
import { ofClass } from './holders.ts'
import { returned } from './returns.ts'
import { bare, isCall, isFunction, isMember, lineOf, propertyOf, type CallNode, type Node } from './syntax.ts'
import type { Place } from './project-sources.ts'
import { noteLostPromise, noteRecorded } from './recorded.ts'
import { noteUncheckedResponse } from './responses.ts'
import type { Step, Trail } from './trail.ts'
import { codeWord } from './words.ts'

export function describeCall(
  trail: Trail,
  step: Step,
  node: CallNode | (Node & { readonly type: 'ImportExpression' }),
): void {
  const { tree, path } = step
  const specifier = moduleOf(node)
  if (specifier !== null || node.type === 'ImportExpression') {
    const [key, ...rest] = path
    for (const found of trail.options.lookup.exported(tree, specifier ?? '', key?.name ?? '*'))
      trail.push({ ...step, ...found, path: rest, depth: step.depth + 1 })
    return
  }
  const { lookup } = trail.options
  if (node.type === 'NewExpression') {
    const classes = lookup.find({ tree, node: node.callee }).filter((found) => isClass(found.node))
    for (const found of classes) {
      const constructor = isClass(found.node)
        ? found.node.body.body.find((part) => part.type === 'ClassMethod' && part.kind === 'constructor')
        : undefined
      if (constructor !== undefined) lookup.callers.set(constructor, { tree, call: node })
      ofClass(trail, { ...step, tree: found.tree, depth: step.depth + 1 }, found.node)
    }
    if (classes.length === 0 || path.length === 0) argumentsOf(trail, step, node)
    if (lastName(node.callee) === 'Date' && node.arguments.length > 0)
      trail.suspect(step, node, 0.58, 'makes the date', step)
    return
  }
  const functions = lookup.functionsOf({ tree, node: node.callee })
  if (functions.length === 0) return ofUnknown(trail, step, node)
  noteLostPromise(trail, step, node)
  for (const found of functions) {
    lookup.callers.set(found.node, { tree, call: node })
    returned(trail, step, found, path)
  }
}

/** Methods that give what their array, map or promise holds. */
const passing: ReadonlySet<string> = new Set(
  'filter slice concat reverse sort toSorted toReversed flat values entries at pop shift splice toSpliced with then catch finally flatMap'.split(
    ' ',
  ),
)
/** Methods that make something else of a text or a response. */
const reading: ReadonlySet<string> = new Set(
  'trim toLowerCase toUpperCase toString json text split join replace replaceAll match matchAll exec substring padStart'.split(
    ' ',
  ),
)
const splitting: ReadonlySet<string> = new Set(['split', 'match', 'exec', 'matchAll'])
const finding: ReadonlySet<string> = new Set(['find', 'findLast'])
/** Messages of what was given NaN. */
const notNumber = /\bNaN\b|Invalid (?:time value|array length|count value|Date\b)/
const converting: ReadonlySet<string> = new Set(['parseInt', 'parseFloat', 'Number'])

function ofUnknown(trail: Trail, step: Step, node: CallNode): void {
  const { tree, path } = step
  const { callee } = node
  const name = lastName(callee)
  const holder = isMember(callee) ? callee.object : null
  const [first] = node.arguments
  const star = { name: '*', at: { tree, node: callee } }
  noteRecorded(trail, step, node)
  noteLostPromise(trail, step, node)
  if (holder !== null && bare(holder).type === 'Identifier' && lastName(holder) === 'Promise') {
    trail.next(step, first, { path: path.slice(path[0]?.name === '*' ? 1 : 0), isAwaited: true })
    return
  }
  if (name !== null && finding.has(name)) {
    trail.suspect(step, node, 0.55, `${name}() gives undefined where nothing matches`, step)
    trail.next(step, holder, { path: [star, ...path] })
    if (first !== undefined && isFunction(first)) {
      for (const value of returnsOf(first).flatMap((one) => leavesOf(one, 2)))
        trail.next(step, value, {
          path: [],
          isValue: false,
          weight: step.weight * 0.85,
          name: codeWord(tree, value),
        })
    }
    return
  }
  if (
    (name === 'map' || name === 'flatMap' || name === 'from' || name === 'reduce') &&
    node.arguments.some(isFunction)
  ) {
    const rest = path[0]?.name === '*' && name !== 'reduce' ? path.slice(1) : path
    for (const argument of node.arguments) {
      if (isFunction(argument)) returned(trail, step, { tree, node: argument }, rest)
      else trail.next(step, argument, { isValue: false, weight: step.weight * 0.7 })
    }
    trail.next(step, holder, { path: [star], isValue: false, weight: step.weight * 0.75 })
    return
  }
  if (name === 'then' && first !== undefined) {
    for (const found of trail.options.lookup.functionsOf({ tree, node: first })) returned(trail, step, found, path)
    return
  }
  if (name === 'map' && first !== undefined) {
    for (const found of trail.options.lookup.functionsOf({ tree, node: first }))
      returned(trail, step, found, path.slice(1))
    return
  }
  if (name === 'get' && holder !== null) return ofMap(trail, step, node, holder)
  if (name === 'json' && holder !== null && node.arguments.length === 0)
    noteUncheckedResponse(trail, step, node, holder)
  if (name === 'structuredClone' || (name === 'parse' && lastName(holder ?? node) === 'JSON')) {
    if (name === 'parse') lookAtDataFile(trail, step, first)
    const copied = bare(first ?? node)
    const isCopy = name !== 'parse' || (isCall(copied) && lastName(copied.callee) === 'stringify')
    const inner = isCopy && name === 'parse' && isCall(copied) ? copied.arguments[0] : first
    if (!isCopy && /\bJSON\b/.test(trail.options.fault.message))
      trail.suspect(step, node, 0.6, 'fails to parse this', step)
    trail.next(step, inner, isCopy ? { copied: { tree, node } } : { path: [], isValue: false })
    return
  }
  if (name !== null && converting.has(name) && notNumber.test(trail.options.fault.message))
    trail.suspect(step, node, 0.6, `${name}() gives NaN where the text is not a number`, step)
  if (name === 'freeze' || name === 'assign' || name === 'seal') {
    for (const argument of node.arguments)
      trail.next(step, argument, {
        copied: name === 'assign' && first?.type === 'ObjectExpression' ? { tree, node } : null,
      })
    return
  }
  // A module's own constant that wraps an object of a library made no value of this request.
  if (tree.around(node, isFunction) !== undefined)
    trail.suspect(step, node, 0.3, `calls \`${codeWord(tree, callee)}\``, step)
  const isPassing = name !== null && passing.has(name)
  const isReading = name !== null && reading.has(name)
  if (name !== null && splitting.has(name)) trail.suspect(step, node, 0.62, `takes the text apart by ${name}()`, step)
  trail.next(step, holder, {
    weight: step.weight * (isPassing || isReading ? 0.95 : 0.7),
    isValue: step.isValue && isPassing,
    path: isPassing || (holder !== null && isCall(holder)) ? path : [],
  })
  argumentsOf(trail, step, node)
}

function argumentsOf(trail: Trail, step: Step, node: CallNode): void {
  const { tree } = step
  for (const argument of node.arguments) {
    if (isFunction(argument)) {
      for (const value of returnsOf(argument)
        .flatMap((one) => leavesOf(one, 2))
        .slice(0, 6))
        trail.next(step, value, {
          path: [],
          isValue: false,
          weight: step.weight * 0.7,
          name: codeWord(step.tree, value),
        })
    } else {
      // The text of a query says which columns its rows have, wherever it is written.
      const isText = step.path.length > 0 && trail.options.lookup.find({ tree, node: argument }).some(isTextNode)
      trail.next(step, argument, {
        path: isText ? step.path : [],
        isValue: false,
        weight: step.weight * 0.85,
        name: codeWord(step.tree, argument),
      })
    }
  }
}

function isTextNode({ node }: Place): boolean {
  return node.type === 'StringLiteral' || node.type === 'TemplateLiteral'
}

function isMapNode({ node }: Place): boolean {
  return node.type === 'NewExpression' && node.callee.type === 'Identifier' && /^(?:Weak)?Map$/.test(node.callee.name)
}

/** What was put under the keys of a map; keys that are written differently do not meet. */
function ofMap(trail: Trail, step: Step, node: CallNode, holder: Node): void {
  const { tree, path } = step
  const [key] = node.arguments
  const isMap = trail.options.lookup.find({ tree, node: holder }).some(isMapNode)
  if (isMap && step.isValue && path.length === 0 && trail.options.fault.kind !== 'other')
    trail.suspect(step, node, 0.5, `\`${codeWord(tree, holder)}\` may have nothing under this key`, step)
  trail.next(step, key, {
    path: [],
    isValue: false,
    weight: step.weight * 0.9,
    name: key === undefined ? '' : codeWord(tree, key),
  })
  trail.next(step, holder, { path: [{ name: '*', at: { tree, node: holder } }, ...path] })
  const text = tree.textOf(holder)
  for (const call of tree.calls) {
    if (!isMember(call.callee) || tree.textOf(call.callee.object) !== text) continue
    const [other, value] = call.arguments
    const differs =
      key !== undefined && other !== undefined && shapeOf(tree.textOf(key)) !== shapeOf(tree.textOf(other))
    const method = propertyOf(call.callee)
    if (method === 'delete' && differs)
      trail.suspect(step, call, 0.8, `deletes from \`${text}\` under a different key from the one that is read`, step)
    if (method !== 'set') continue
    trail.define(step, `Puts values into \`${text}\``, tree, call, [lineOf(call)])
    trail.next(step, value)
    trail.next(step, other, {
      path: [],
      isValue: false,
      weight: step.weight * 0.9,
      name: other === undefined ? '' : codeWord(tree, other),
    })
    if (differs) {
      trail.suspect(step, node, 0.74, `reads \`${text}\` under a different key from the one that is filled`, step)
      trail.suspect(step, call, 0.72, `fills \`${text}\` under a different key from the one that is read`, step)
    } else trail.suspect(step, call, 0.42, `puts the value into \`${text}\``, step)
  }
}

/** How a key is made, whatever its parts are called. */
function shapeOf(text: string): string {
  const calls = [...text.matchAll(/\.(\w+)\(/g)].map(([, name]) => name).join(',')
  const kind = text.startsWith('`')
    ? text.replaceAll(/\$\{[^}]*\}/g, '$')
    : /^["']/.test(text)
      ? text
      : /\(/.test(text)
        ? 'call'
        : 'name'
  return `${kind}:${calls}`
}
