// Values that are kept under names: in maps, and by objects that are given them in one place and asked for them in another.

import { lastName } from './fault.ts'
import { returned } from './returns.ts'
import type { SourceTree } from './source-tree.ts'
import { isCall, isFunction, isMember, isText, lineOf, propertyOf, type CallNode, type Node } from './syntax.ts'
import type { Step, Trail } from './trail.ts'
import { codeWord } from './words.ts'

/** What was put under the keys of a map; keys that are written differently do not meet. */
export function ofMap(trail: Trail, step: Step, node: CallNode, holder: Node): void {
  const { tree, path } = step
  const [key] = node.arguments
  const isMap = trail.options.lookup
    .find({ tree, node: holder })
    .some(({ node: made }) => made.type === 'NewExpression' && /^(?:Weak)?Map$/.test(lastName(made.callee) ?? ''))
  if (isMap && step.isValue && path.length === 0 && trail.options.fault.kind !== 'other')
    trail.suspect(step, node, 0.5, `\`${codeWord(tree, holder)}\` may have nothing under this key`, step)
  trail.part(step, key, 0.9)
  const written = isMap || key === undefined ? undefined : trail.options.lookup.written({ tree, node: key })
  trail.next(step, holder, { path: [written ?? { name: '*', at: { tree, node: holder } }, ...path] })
  const text = tree.textOf(holder)
  for (const call of tree.calls) {
    if (!isMember(call.callee) || tree.textOf(call.callee.object) !== text) continue
    const [other, value] = call.arguments
    const differs = key !== undefined && other !== undefined && areDifferent(trail, tree, key, other)
    const method = propertyOf(call.callee)
    if (method === 'delete' && differs)
      trail.suspect(step, call, 0.8, `deletes from \`${text}\` under a different key from the one that is read`, step)
    if (method !== 'set') continue
    trail.define(step, `Puts values into \`${text}\``, tree, call, [lineOf(call)])
    trail.next(step, value)
    trail.part(step, other, 0.9)
    if (differs) {
      trail.suspect(step, node, 0.74, `reads \`${text}\` under a different key from the one that is filled`, step)
      trail.suspect(step, call, 0.72, `fills \`${text}\` under a different key from the one that is read`, step)
    } else trail.suspect(step, call, 0.42, `puts the value into \`${text}\``, step)
  }
}

/** Who gives a value under the same name to the same object: `container.add('tariffs', …)` for `container.get('tariffs')`. */
export function noteGiven(trail: Trail, step: Step, node: CallNode): void {
  for (const { tree, call, key } of callsWithName(trail, step.tree, node)) {
    const [, value] = call.arguments
    if (value === undefined) continue
    trail.suspect({ tree }, call, 0.66, `gives \`${key}\` its value`, step)
    trail.define({ ...step, name: key }, 'Is given its value here', tree, call, [lineOf(call)])
    if (isFunction(value)) returned(trail, step, { tree, node: value }, step.path)
    else trail.next(step, value, { tree })
  }
}

/** Other methods of the same object that are called with the same name first: `bus.emit('paid', order)` for `bus.on('paid', …)`. */
export function callsWithName(
  { options: { lookup } }: Trail,
  tree: SourceTree,
  { callee, arguments: [first] }: CallNode,
): { readonly tree: SourceTree; readonly call: CallNode; readonly key: string }[] {
  if (first?.type !== 'StringLiteral' || !/^[\w$.:/-]*[a-z][\w$.:/-]*$/i.test(first.value) || !isMember(callee))
    return []
  const key = first.value
  const [object] = lookup.find({ tree, node: callee.object })
  return [...lookup.withImported()].flatMap((other) =>
    other.calls.flatMap((call) => {
      const [name] = call.arguments
      if (object === undefined || !isMember(call.callee) || lastName(call.callee) === lastName(callee)) return []
      if (name?.type !== 'StringLiteral' || name.value !== key) return []
      const [holder] = lookup.find({ tree: other, node: call.callee.object })
      return holder?.node === object.node ? [{ tree: other, call, key }] : []
    }),
  )
}

/** Whether two keys are sure to be made in different ways: both are written as texts, or one is made of the other. */
function areDifferent({ options }: Trail, tree: SourceTree, one: Node, other: Node): boolean {
  const made = [one, other].map((node) => {
    const [found, ...others] = node.type === 'Identifier' ? options.lookup.find({ tree, node }) : []
    const isKnown = found !== undefined && others.length === 0 && (isText(found.node) || isCall(found.node))
    return isKnown ? found : { tree, node }
  })
  const shapes = made.map(({ node }) => shapeOf(node))
  if (!shapes.includes(null)) return shapes[0] !== shapes[1]
  const [short = '', long = ''] = made
    .map((place) => place.tree.textOf(place.node))
    .toSorted((left, right) => left.length - right.length)
  const word = /(\w+)\W*$/.exec(short)?.[1]
  return word !== undefined && /^[\w.$]+$/.test(short) && /[(`]/.test(long) && new RegExp(`\\b${word}\\b`).test(long)
}

/** `user-$` of `` `user-${id}` ``; `null` for what is no text. */
function shapeOf(node: Node): string | null {
  if (node.type === 'StringLiteral') return node.value
  return node.type === 'TemplateLiteral' ? node.quasis.map(({ value }) => value.raw).join('$') : null
}
