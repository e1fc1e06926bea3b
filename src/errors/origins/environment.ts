// Environment variables that the source reads: whether they are set, and which near names are. Values are never shown.

import { nearNames } from './near-names.ts'
import { bare, isMember, lineOf, propertyOf, type Node } from './syntax.ts'
import type { Step, Trail } from './trail.ts'

/** Whether a node reads the environment, or an object of all of it; what it reads is noted. */
export function readEnvironment(trail: Trail, step: Step, node: Node): boolean {
  if (!isMember(node)) return false
  const { tree } = step
  if (isEnvironment(node)) {
    const [key] = step.path
    if (key !== undefined && key.name !== '*') noteVariable(trail, step, key.name, key.at.tree, key.at.node)
    return true
  }
  if (!isEnvironment(bare(node.object))) return false
  const name = propertyOf(node)
  if (name === null) trail.next(step, node.property, { path: [], name: 'the name of the variable' })
  else noteVariable(trail, step, name, tree, node)
  return true
}

/** `process.env`, `import.meta.env`. */
function isEnvironment(node: Node): boolean {
  if (!isMember(node) || propertyOf(node) !== 'env') return false
  return (node.object.type === 'Identifier' && node.object.name === 'process') || node.object.type === 'MetaProperty'
}

/** Names a variable that the source reads by its literal name. */
export function noteVariable(trail: Trail, step: Step, name: string, tree: Step['tree'], node: Node): void {
  const { env } = trail.options
  const isSet = (env[name] ?? '') !== ''
  const [near] = isSet ? [] : nearNames(name, Object.keys(env))
  const state = isSet ? `${name} is set` : near === undefined ? `${name} is not set` : `${name} is not set; ${near} is`
  const line = lineOf(node)
  trail.define({ ...step, name }, state, tree, node, [line])
  if (near !== undefined) trail.suspect({ tree }, node, 0.97, `reads ${name}, which is not set; ${near} is`, step)
  else trail.suspect({ tree }, node, isSet ? 0.5 : 0.86, `reads ${name}, which is ${isSet ? 'set' : 'not set'}`, step)
}
