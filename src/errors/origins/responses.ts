// The data of responses of others: whether somebody looked at the status, and what is read of it.

import { lastName } from './fault.ts'
import { returnsOf } from './functions.ts'
import { placeOf } from './missing-key.ts'
import { lookAtUrl } from './outside.ts'
import type { Place } from './project-sources.ts'
import { bare, isCall, isFunction, isMember, propertyOf, type CallNode, type Node } from './syntax.ts'
import type { Step, Trail } from './trail.ts'

/** `response.json()` in a function that never looks at the status. */
export function noteUncheckedResponse(trail: Trail, step: Step, node: CallNode, holder: Node): void {
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
