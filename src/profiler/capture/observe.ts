// Observes objects of libraries that publish nothing.

import { observables } from './observed/all.ts'

/**
 * Records in the profile what `target` does while requests are recorded. Hand it over once, where you make it: a `Map` that serves as a cache,
 * an engine of templates, a queue or worker of BullMQ, a scheduled task.
 * Returns the same object; a second call changes nothing. Throws a TypeError for anything else, which names what is allowed.
 */
export function observe<Target extends object>(target: Target): Target {
  const known = Object(target) === target ? observables.find(({ fits }) => fits(target)) : undefined
  if (known === undefined) {
    const allowed = observables.map(({ what }) => what).join(', ')
    throw new TypeError(`observe() cannot observe ${kindOf(target)}; it observes: ${allowed}`)
  }
  known.observe(target)
  return target
}

/** Never the value, which may hold secrets: `a Pool`, `a function`, `undefined`. */
function kindOf(target: unknown): string {
  if (target === undefined || target === null) return String(target)
  if (typeof target !== 'object') return `a ${typeof target}`
  const name: unknown = Reflect.get(Object(Reflect.get(target, 'constructor')), 'name')
  return typeof name === 'string' && name !== '' && name !== 'Object' ? `a ${name}` : 'a plain object'
}
