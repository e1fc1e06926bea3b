// What `observe` can be given: marks it, and replaces its methods.

import { define } from '../../http/kernel/follow-call.ts'

/** What `observe` can be given. */
export interface Observable {
  /** For people: `an Ajv`. */
  readonly what: string
  /** Whether `target` is one. Reads properties only. */
  fits(target: object): boolean
  /** A second call for the same object changes nothing. */
  observe(target: object): void
}

/** Objects of one type, of which `fits` makes sure. */
export interface ObservableOf<Target extends object> extends Observable {
  fits(target: object): target is Target
  observe(target: Target): void
}

/** Runs the method itself; by default with the same arguments. */
type Run = (args?: readonly unknown[]) => unknown

const isWrapped = Symbol('wrapped')
const isObserved = Symbol.for('fanlight.observed')

/** Marks an object as observed; `false` if it was already. */
export function markObserved(target: object): boolean {
  if (Object.hasOwn(target, isObserved)) return false
  define(target, isObserved, true)
  return true
}

/** Puts `replacement` in the place of a method of this object, once. Does nothing if there is no such method. */
export function wrapMethod(
  target: object,
  name: string,
  replacement: (own: object, args: readonly unknown[], run: Run) => unknown,
): void {
  const method: unknown = Reflect.get(target, name)
  if (typeof method !== 'function' || isWrapped in method) return
  const run = (own: object, args: readonly unknown[]): unknown => Reflect.apply(method, own, args)
  function wrapped(this: object, ...args: unknown[]): unknown {
    return replacement(this, args, (given = args) => run(this, given))
  }
  define(target, name, Object.assign(wrapped, { [isWrapped]: true }))
}

export function hasMethods(target: object, names: readonly string[]): boolean {
  return names.every((name) => typeof Reflect.get(target, name) === 'function')
}
