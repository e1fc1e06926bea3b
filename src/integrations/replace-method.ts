// Puts a method of an integration in front of a method of a package, or of an object of Node.

import { tellField } from '../base/http/header-fields.ts'
import type { Observer } from './integration.ts'

export type Method = (...args: unknown[]) => unknown

export function isMethod(value: unknown): value is Method {
  return typeof value === 'function'
}

/** Runs the method itself. Default: on the same object, with the same arguments. */
type Run = (args?: readonly unknown[], target?: object) => unknown

export type Replacement = (target: object, args: readonly unknown[], run: Run) => unknown

const isReplaced = Symbol.for('fanlight.replaced')

/**
 * Replaces a method of a prototype, and keeps its name and its length. Throws a TypeError where there is no such method, and where it
 * cannot be replaced.
 */
export function replaceMethod(prototype: unknown, name: string, replacement: Replacement): void {
  const holder: object = Object(prototype)
  const method: unknown = Reflect.get(holder, name)
  if (typeof method !== 'function') throw new TypeError(`there is no method ${name}`)
  setMethod(holder, name, {
    [name](this: object, ...args: unknown[]): unknown {
      const run: Run = (given = args, target = this) => Reflect.apply(method, target, given)
      return replacement(this, args, run)
    },
  })
}

/** Puts one method in the place of another, whose length and place it gets. */
function setMethod(holder: object, name: string, made: Readonly<Record<string, unknown>>): void {
  const value = Object.defineProperties(made[name], {
    length: { value: Reflect.get(Object(Reflect.get(holder, name)), 'length'), configurable: true },
    [isReplaced]: { value: true },
  })
  const hidden = { configurable: true, enumerable: false, writable: true }
  Object.defineProperty(holder, name, { ...(Object.getOwnPropertyDescriptor(holder, name) ?? hidden), value })
}

/**
 * Puts a method that `make` makes of it in the place of a method of a prototype, once, where every call counts. Does nothing if there is
 * no such method.
 */
export function remakeOnce(holder: object, name: string, make: (method: Method) => Method): void {
  const method: unknown = Reflect.get(holder, name)
  if (!isMethod(method) || isReplaced in method) return
  setMethod(holder, name, { [name]: make(method) })
  if (method.name !== name && Object.keys(holder).includes(name)) keepNameInStacks(holder, name, method)
}

/**
 * V8 writes `Layer.handle [as handle_request]` where an enumerable property below still is the function. No function of another name has
 * a `super` that would find it.
 */
function keepNameInStacks(prototype: object, name: string, method: unknown): void {
  const below: object | null = Object.getPrototypeOf(prototype)
  Object.setPrototypeOf(prototype, Object.assign(Object.create(below), { [name]: method }))
}

/** Replaces a method of an object or a prototype, once. Does nothing if there is no such method. What the replacement throws by itself is noted. */
export function replaceOnce(holder: unknown, name: string, replacement: Replacement, observer: Observer): void {
  const method: unknown = Reflect.get(Object(holder), name)
  if (typeof method !== 'function' || isReplaced in method) return
  replaceMethod(holder, name, (target, args, run) =>
    shielded(observer, `around ${name}()`, run, (shieldedRun) => replacement(target, args, shieldedRun)),
  )
}

/** Tells of the fields that a method sets, by name and value, where code calls it: `reply.header('location', '/')`. */
export function tellFields(object: unknown, name: string, observer: Observer): void {
  const told: Replacement = (_, args, run) => {
    tellField(String(args[0]), args[1])
    return run()
  }
  replaceOnce(holderOf(Object(object), name), name, told, observer)
}

/**
 * Replaces a function of a module, as all who import it call it. `functions` sets it in the module. Throws a TypeError where there is no
 * such function, and where it cannot be replaced.
 */
export function replaceFunction(functions: unknown, name: string, replacement: Replacement): void {
  const holder = { [name]: Reflect.get(Object(functions), name) }
  replaceMethod(holder, name, replacement)
  if (!Reflect.set(Object(functions), name, holder[name])) throw new TypeError(`${name} cannot be replaced`)
}

/** The object on the prototype chain that has a method itself: `Router.prototype` for a router. */
export function holderOf(object: object, name: string): object | undefined {
  let holder: object | null = object
  while (holder !== null && !Object.hasOwn(holder, name)) holder = Object.getPrototypeOf(holder)
  return holder ?? undefined
}

/**
 * Calls `around` with `run`, which it is to call once, and gives what that gives. What `around` throws by itself is noted: the caller gets
 * what `run` gave, or what it gives without us. `place`: `around handle()`.
 */
export function shielded<Args extends readonly unknown[]>(
  observer: Observer,
  place: string,
  run: (...args: Args | []) => unknown,
  around: (run: (...args: Args | []) => unknown) => unknown,
): unknown {
  let outcome: { readonly isThrown: boolean; readonly value: unknown } | undefined
  try {
    return around((...args) => {
      try {
        const value = run(...args)
        outcome = { isThrown: false, value }
        return value
      } catch (value) {
        outcome = { isThrown: true, value }
        throw value
      }
    })
  } catch (thrown) {
    if (outcome?.isThrown === true) throw outcome.value
    observer.guard(place, () => {
      throw thrown
    })
    return outcome === undefined ? run() : outcome.value
  }
}
