// What a call gives: the results of the application's own functions, and what the language's own ones make of their arguments.

import { lastName, leavesOf } from './fault.ts'
import { isClass, returnsOf } from './functions.ts'
import { ofClass } from './holders.ts'
import { isFixed, noteGiven, ofMap } from './changes.ts'
import { noteMissing, placeOf } from './module-faults.ts'
import { lookAtDataFile, lookAtUrl, noteData } from './outside.ts'
import type { Place } from './project-sources.ts'
import { noteLostPromise, noteRecorded, promiseMembers } from './recorded.ts'
import { isNumberOfRequest, noteField, readOfRequest } from './request-parts.ts'
import { returned } from './returns.ts'
import {
  bare,
  isCall,
  isFunction,
  isMember,
  isText,
  lineOf,
  moduleOf,
  nameOfKey,
  placeLine,
  propertyOf,
} from '../errors/source/syntax.ts'
import type { CallNode, Node } from '../errors/source/syntax.ts'
import { mayBeNothing, type Key, type Step, type Trail } from './trail.ts'
import { codeWord } from './words.ts'
import { posix } from 'node:path'

export function describeCall(
  trail: Trail,
  step: Step,
  node: CallNode | (Node & { readonly type: 'ImportExpression' }),
): void {
  const { tree, path } = step
  const specifier = moduleOf(node)
  if (specifier !== null || node.type === 'ImportExpression') {
    if (specifier?.endsWith('.json') === true)
      noteData(trail, step, node, posix.join(posix.dirname(tree.file.path), specifier))
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
    if (lastName(node.callee) === 'URLSearchParams' && /url|search|query/i.test(tree.textOf(node)))
      readOfRequest(trail, step, [{ name: 'query', at: { tree, node } }, ...path])
    if (classes.length === 0 || path.length === 0) argumentsOf(trail, step, node)
    // A class that a library makes: `model('Address', …)`.
    if (classes.length === 0) trail.part(step, node.callee, 0.85)
    if (lastName(node.callee) === 'Date' && node.arguments.length > 0)
      trail.suspect(step, node, notNumber.test(trail.options.fault.message) ? 0.65 : 0.58, 'makes the date', step)
    return
  }
  const functions = lookup.functionsOf({ tree, node: node.callee })
  if (functions.length === 0) return ofUnknown(trail, step, node)
  noteLostPromise(trail, step, node)
  noteGiven(trail, step, node)
  for (const found of functions) {
    lookup.callers.set(found.node, { tree, call: node })
    returned(trail, step, found, path, step.isUnasked !== true)
  }
}

/** Methods that give what their array, map or promise holds. */
const passing: ReadonlySet<string> = new Set(
  'filter slice concat reverse sort toSorted toReversed flat values entries at pop shift splice toSpliced with then catch finally flatMap toFetch'.split(
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
/** Methods that call a function which decides what they give. */
const calling: ReadonlySet<string> = new Set('find findLast findIndex filter some every sort toSorted'.split(' '))
const matching: ReadonlySet<string> = new Set(['exec', 'match', 'matchAll'])
/** Methods of a schema that give what they checked. */
const checking = /^(?:safe)?(?:parse|validate|decode|cast|assert)(?:Async|Sync)?$/i
/** Messages of what was given NaN. */
export const notNumber: RegExp = /\bNaN\b|Invalid (?:time value|array length|count value|Date\b)/
const converting: ReadonlySet<string> = new Set(['parseInt', 'parseFloat', 'Number'])

function ofUnknown(trail: Trail, step: Step, node: CallNode): void {
  const { tree, path } = step
  const { callee } = node
  const { evidence } = trail.options
  const name = lastName(callee)
  const holder = isMember(callee) ? callee.object : null
  const [first] = node.arguments
  const star = { name: '*', at: { tree, node: callee } }
  const [key] = name === 'fetch' && step.isAwaited && step.isOneOf !== true ? path : []
  if (key !== undefined && !(key.name in Response.prototype))
    trail.suspect(key.at, key.at.node, 0.95, `reads \`${key.name}\` of the response itself, not of its body`)
  if (name === 'fetch' && placeOf({ tree, node }) === trail.options.failedAt) lookAtUrl(trail, step, { tree, node })
  noteRecorded(trail, step, node)
  noteLostPromise(trail, step, node)
  if (holder !== null && bare(holder).type === 'Identifier' && lastName(holder) === 'Promise') {
    const [element, ...inner] = path
    const each = element?.name === '*' ? [{ ...element, isAwaited: true }, ...inner] : path
    trail.next(step, first, { isAwaited: true, path: each })
    return
  }
  const callbacks = node.arguments.some(isFunction)
    ? []
    : node.arguments.flatMap((one) => (isText(one) ? [] : trail.options.lookup.functionsOf({ tree, node: one })))
  if (name !== null && calling.has(name))
    for (const found of callbacks) returned(trail, { ...step, isValue: false, weight: step.weight * 0.85 }, found, [])
  if (name !== null && matching.has(name)) noteMatched(trail, step, node, (name === 'exec' ? holder : first) ?? null)
  if (name !== null && finding.has(name) && (callbacks.length > 0 || (first !== undefined && isFunction(first)))) {
    if (mayBeNothing(path) && evidence?.neverGave(tree, node, 'undefined') !== true)
      trail.suspect(step, node, 0.55, `${name}() gives undefined where nothing matches`, step)
    trail.next(step, holder, { path: [star, ...path] })
    if (first !== undefined && isFunction(first))
      for (const value of returnsOf(first).flatMap((one) => leavesOf(one, 2))) trail.part(step, value, 0.85)
    return
  }
  // Its callback has not run.
  if (name === 'reduce' && trail.options.fault.message.startsWith('Reduce of empty array'))
    return trail.next(step, holder)
  if (/^(?:map|flatMap|from|reduce)$/.test(name ?? '') && node.arguments.some(isFunction)) {
    const rest = path[0]?.name === '*' && name !== 'reduce' ? path.slice(1) : path
    if (name === 'map' && notePromises(trail, step, node)) return
    for (const argument of node.arguments) {
      if (isFunction(argument)) returned(trail, step, { tree, node: argument }, rest)
      else trail.next(step, argument, { isValue: false, isOneOf: true, weight: step.weight * 0.7 })
    }
    trail.next(step, holder, { path: [star], isValue: false, weight: step.weight * 0.75 })
    return
  }
  if ((name === 'then' || name === 'map') && first !== undefined) {
    for (const found of trail.options.lookup.functionsOf({ tree, node: first }))
      returned(trail, step, found, name === 'map' ? path.slice(1) : path)
    return
  }
  if (name === 'get' && holder !== null) return ofMap(trail, step, node, holder)
  const isAsking = (name === 'header' || name === 'query' || name === 'param') && node.arguments.length === 1
  const asked = isAsking && first !== undefined ? trail.options.lookup.written({ tree, node: first }) : undefined
  // `req.header('x-tenant')`, `c.req.query('page')`
  if (name !== null && asked !== undefined && /^[\w.-]+$/.test(asked.name))
    return trail.next(step, holder, { path: [{ ...star, name }, asked, ...path] })
  if (name === 'json' && holder !== null && isRequest.test(tree.textOf(holder))) noteField(trail, step, path)
  if (name === 'json' && holder !== null && node.arguments.length === 0)
    noteUncheckedResponse(trail, step, node, holder)
  if (name === 'structuredClone' || (name === 'parse' && lastName(holder ?? node) === 'JSON')) {
    if (name === 'parse' && first !== undefined) lookAtDataFile(trail, step, node, first)
    const copied = bare(first ?? node)
    const isCopy = name !== 'parse' || (isCall(copied) && lastName(copied.callee) === 'stringify')
    const inner = isCopy && name === 'parse' && isCall(copied) ? copied.arguments[0] : first
    if (!isCopy && /\bJSON\b/.test(trail.options.fault.message))
      trail.suspect(step, node, 0.6, 'fails to parse this', step)
    const method = path.at(-1)
    const isOfData = method === undefined || [[], '', 0].some((one) => method.name in Object(one))
    if (!isCopy && !isOfData && trail.options.fault.kind === 'not-callable' && step.isOneOf !== true)
      trail.suspect(step, node, 0.9, `gives data without methods: \`${method.name}()\` is none of it`, step)
    trail.next(step, inner, isCopy ? { copied: { tree, node } } : { path: [], isValue: false })
    return
  }
  const mayBe =
    notNumber.test(trail.options.fault.message) &&
    evidence?.neverGave(tree, node, 'NaN') !== true &&
    !isNumberOfRequest(trail, first ?? node)
  if (name !== null && converting.has(name) && mayBe)
    trail.suspect(step, node, 0.6, `${name}() gives NaN where the text is not a number`, step)
  if (name === 'freeze' || name === 'assign' || name === 'seal') {
    if (name !== 'assign' && isFixed(trail)) trail.suspect(step, node, 0.95, `allows no change: ${name}()`, step)
    for (const argument of node.arguments)
      trail.next(step, argument, {
        copied: name === 'assign' && first?.type === 'ObjectExpression' ? { tree, node } : null,
      })
    return
  }
  noteGiven(trail, step, node)
  // A module's own constant that wraps an object of a library made no value of this request.
  if (tree.around(node, isFunction) !== undefined)
    trail.suspect(step, node, 0.3, `calls \`${codeWord(tree, callee)}\``, step)
  if (name !== null && checking.test(name) && first !== undefined) {
    // `schema.parse(data)`, `parse(schema, data)`
    if (holder !== null) noteSchema(trail, step, holder, path)
    if (node.arguments.length > 1) noteSchema(trail, step, first, path)
  }
  const isPassing = name !== null && passing.has(name)
  const isReading = name !== null && reading.has(name)
  if (name !== null && splitting.has(name)) trail.suspect(step, node, 0.62, `takes the text apart by ${name}()`, step)
  else if (isReading && holder !== null && first !== undefined && name !== 'json')
    trail.suspect(step, node, 0.45, `makes the text by ${name}()`, step)
  trail.next(step, holder, {
    weight: step.weight * (isPassing || isReading ? 0.95 : 0.7),
    isValue: step.isValue && isPassing,
    path: isPassing || (holder !== null && isCall(holder)) ? unplaced(path) : [],
    isOneOf: step.isOneOf === true || !isPassing,
    isTool: step.isTool === true || !(isPassing || isReading),
  })
  argumentsOf(trail, step, node)
}

/** `ids.map(async …)`, of which an element is read that nobody waits for. */
function notePromises(trail: Trail, step: Step, node: CallNode): boolean {
  const [element, key] = step.path
  const [made] = node.arguments
  const isRead = element?.name === '*' && element.isAwaited === false && key !== undefined
  if (!isRead || step.isOneOf === true || promiseMembers.has(key.name)) return false
  if (made === undefined || !isFunction(made) || !made.async) return false
  trail.suspect(step, node, 0.985, 'makes a list of promises: Promise.all() is missing', step)
  trail.define(step, 'Is a list of promises', step.tree, node, [placeLine(node)])
  return true
}

/** A list that has a name, or went through a method, may be in another order. */
export function unplaced([first, ...rest]: readonly Key[]): readonly Key[] {
  return first === undefined ? [] : [{ ...first, index: undefined }, ...rest]
}

function argumentsOf(trail: Trail, step: Step, node: CallNode): void {
  const { tree } = step
  for (const argument of node.arguments) {
    if (isFunction(argument)) {
      const values = returnsOf(argument).flatMap((one) => leavesOf(one, 2))
      for (const value of values.slice(0, 6)) trail.part(step, value, 0.7)
    } else {
      if (argument.type === 'ObjectExpression' && step.path.length > 0 && hasKey(argument, step.path[0]?.name)) {
        trail.next(step, argument, { weight: step.weight * 0.85 })
        continue
      }
      // The text of a query says which columns its rows have, wherever it is written.
      const isQuery =
        step.path.length > 0 && trail.options.lookup.find({ tree, node: argument }).some((one) => isText(one.node))
      trail.part(step, argument, 0.85, isQuery ? step.path : [])
    }
  }
}

function hasKey(node: Node & { readonly type: 'ObjectExpression' }, name: string | undefined): boolean {
  return node.properties.some((one) => one.type !== 'SpreadElement' && nameOfKey(one.key) === name)
}

/** The pattern that a text did not match, wherever it is written. */
function noteMatched(trail: Trail, step: Step, node: CallNode, pattern: Node | null): void {
  if (pattern === null || !step.isValue || !/\bnull\b/.test(trail.options.fault.message)) return
  for (const found of trail.options.lookup.find({ tree: step.tree, node: pattern })) {
    if (found.node.type !== 'RegExpLiteral' && found.node.type !== 'NewExpression') continue
    if (found.node === bare(pattern)) continue
    const why = `is the pattern that the text did not match in ${lastName(node.callee) ?? ''}()`
    trail.suspect(found, found.node, 0.7, why, step)
    trail.define(step, 'Is the pattern', found.tree, found.node, [lineOf(found.node)])
  }
}

/** Methods of a schema that make it give more than it names. */
const adding = /\.(?:passthrough|loose|catchall|extend|safeExtend|merge|and|transform|pipe|or)\(/

/** Around the value in what a schema gives. */
const wrapping: ReadonlySet<string> = new Set(['data', 'value', 'output'])

/** Notes the property of a schema that the value was checked by: `guests: z.number()` for `schema.parse(body).guests`. */
function noteSchema(trail: Trail, step: Step, schema: Node, path: readonly Key[]): void {
  const keys = wrapping.has(path[0]?.name ?? '') ? path.slice(1) : path
  const [key, ...rest] = keys
  if (key === undefined || key.name === '*' || step.isOneOf === true) return
  for (const { tree, node } of trail.options.lookup.find({ tree: step.tree, node: schema })) {
    for (let call = bare(node); isCall(call); call = isMember(call.callee) ? bare(call.callee.object) : call.callee) {
      const shape = call.arguments.find((one) => one.type === 'ObjectExpression')
      const properties = shape?.type === 'ObjectExpression' ? shape.properties : []
      const found = properties.find((one) => one.type === 'ObjectProperty' && nameOfKey(one.key) === key.name)
      if (found?.type !== 'ObjectProperty') {
        // Zod leaves out what its schema does not name; what follows in a chain may add it.
        if (shape === undefined || tree.textOf(call.callee) !== 'z.object') continue
        if (properties.some(({ type }) => type === 'SpreadElement')) continue
        if (call !== bare(node) && adding.test(tree.textOf(node).slice(tree.textOf(call).length))) continue
        const names = properties.flatMap((one) => ('key' in one ? (nameOfKey(one.key) ?? []) : []))
        return noteMissing(trail, step, { holder: { tree, node: shape }, names, key })
      }
      trail.suspect({ tree }, found, 0.7, `checks \`${key.name}\` and let this value pass`, step)
      trail.define({ ...step, name: key.name }, 'Is what the schema asks of it', tree, found, [lineOf(found)])
      return noteSchema(trail, { ...step, tree }, found.value, rest)
    }
  }
}

/** What has the body of a request, as handlers name it. */
const isRequest = /^(?:(?:c|ctx|context)\.req|(?:exchange\.)?request(?:\.body)?)$/

const consuming = /^(?:json|text|blob|bytes|arrayBuffer|formData)$/

/** `response.json()` in a function that never looks at the status. */
function noteUncheckedResponse(trail: Trail, step: Step, node: CallNode, holder: Node): void {
  const { tree } = step
  const owner = tree.around(node, isFunction)
  const text = owner === undefined ? tree.text : tree.textOf(owner)
  const made = fetchOf(trail, { tree, node: holder })
  if (made === undefined) return
  lookAtUrl(trail, step, made)
  const maker = made.tree.around(made.node, isFunction)
  const { work } = trail.options
  const came = work.find(({ category, callSite }) => category === 'http' && callSite === placeOf(made))?.result ?? ''
  const isChecked =
    came.startsWith('2') || /\b(?:ok|status)\b/.test(text + (maker === undefined ? '' : made.tree.textOf(maker)))
  const boundTo = (one: Node): Node | undefined =>
    one.type === 'Identifier' ? tree.bindingOf(one.name, one)?.node : undefined
  const isEarlier = ({ callee, start }: CallNode): boolean =>
    (start ?? 0) < (node.start ?? 0) &&
    isMember(callee) &&
    consuming.test(propertyOf(callee) ?? '') &&
    boundTo(callee.object) === boundTo(holder)
  const earlier = boundTo(holder) && tree.calls.find(isEarlier)
  if (earlier !== undefined && trail.options.fault.message.startsWith('Body is unusable'))
    return trail.suspect(step, earlier, 0.97, 'reads the body first, and it can be read once')
  const [key] = step.path
  if (key !== undefined && key.name !== '*' && placeOf(key.at) !== trail.options.failedAt)
    trail.suspect(key.at, key.at.node, 0.72, `reads \`${key.name}\` of data from outside`, step)
  const from = came === '' ? 'data from outside' : `data from outside, which came with ${came}`
  if (isChecked) trail.suspect(step, node, 0.7, `reads ${from}`, step)
  else trail.suspect(step, node, 0.84, 'reads the body without checking the status of the response', step)
}

/** The `fetch()` that made a response; `undefined` for anything else. */
function fetchOf(trail: Trail, { tree, node: given }: Place, depth = 0): Place | undefined {
  const node = bare(given)
  const next = (value: Node | null | undefined, where = tree): Place | undefined =>
    value && depth < 6 ? fetchOf(trail, { tree: where, node: value }, depth + 1) : undefined
  if (node.type === 'AwaitExpression') return next(node.argument)
  if (node.type === 'Identifier') {
    const binding = tree.bindingOf(node.name, node)
    if (binding?.kind === 'variable') return next(binding.value)
    const owner = binding?.kind === 'parameter' ? binding.value : null
    const call = owner && isFunction(owner) ? trail.options.lookup.callOf(tree, owner) : undefined
    if (call === undefined || binding === undefined) return undefined
    const { callee } = call.call
    return isMember(callee) && propertyOf(callee) === 'then'
      ? next(callee.object, call.tree)
      : next(call.call.arguments[binding.index], call.tree)
  }
  if (!isCall(node)) return undefined
  if (lastName(node.callee) === 'fetch' && trail.options.lookup.functionsOf({ tree, node: node.callee }).length === 0)
    return { tree, node }
  for (const found of trail.options.lookup.functionsOf({ tree, node: node.callee }))
    for (const value of returnsOf(found.node)) {
      const made = next(value, found.tree)
      if (made !== undefined) return made
    }
  return undefined
}
