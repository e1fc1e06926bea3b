// What a schema says of the value that it let pass.

import { bare, isCall, isMember, lineOf, nameOfKey, type Node } from './syntax.ts'
import type { Key, Step, Trail } from './trail.ts'

/** Around the value in what a schema gives. */
const wrapping: ReadonlySet<string> = new Set(['data', 'value', 'output'])

/** Notes the property of a schema that the value was checked by: `guests: z.number()` for `schema.parse(body).guests`. */
export function noteSchema(trail: Trail, step: Step, schema: Node, path: readonly Key[]): void {
  const keys = wrapping.has(path[0]?.name ?? '') ? path.slice(1) : path
  const [key, ...rest] = keys
  if (key === undefined || key.name === '*') return
  for (const { tree, node } of trail.options.lookup.find({ tree: step.tree, node: schema })) {
    for (let call = bare(node); isCall(call); call = isMember(call.callee) ? bare(call.callee.object) : call.callee) {
      const properties = call.arguments.flatMap((one) => (one.type === 'ObjectExpression' ? one.properties : []))
      const found = properties.find((one) => one.type === 'ObjectProperty' && nameOfKey(one.key) === key.name)
      if (found?.type !== 'ObjectProperty') continue
      trail.suspect({ tree }, found, 0.7, `checks \`${key.name}\` and let this value pass`, step)
      trail.define({ ...step, name: key.name }, 'Is what the schema asks of it', tree, found, [lineOf(found)])
      return noteSchema(trail, { ...step, tree }, found.value, rest)
    }
  }
}
