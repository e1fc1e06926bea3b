// Observes the objects of a class without being handed each of them: the first use of one leads to the function that observes it.

import type { Observer } from '../integration.ts'
import { replaceMethod } from '../replace-method.ts'

export interface FirstUse {
  /** For people: `pg`. */
  readonly place: string
  /** The methods by which an object is used. */
  readonly methods: readonly string[]
  /** Defines methods of those names on the object; such an object counts as observed. */
  readonly observe: (target: object) => void
  /** Whether this object is to be observed. Default: each is. */
  readonly concerns?: (target: object) => boolean
}

/** Throws a TypeError if the class has not all of the methods. */
export function observeAtFirstUse(constructor: unknown, use: FirstUse, observer: Observer): void {
  const { place, methods, observe, concerns } = use
  for (const name of methods) {
    replaceMethod(Reflect.get(Object(constructor), 'prototype'), name, (target, args, run) => {
      if (Object.hasOwn(target, name)) return run()
      observer.guard(place, () => {
        if (concerns?.(target) !== false) observe(target)
      })
      if (!Object.hasOwn(target, name)) return run()
      return Reflect.apply(Reflect.get(target, name) as (...args: unknown[]) => unknown, target, args)
    })
  }
}

/** The same for one object. Throws a TypeError if it has not all of the methods. */
export function observeObjectAtFirstUse(target: unknown, use: Omit<FirstUse, 'concerns'>, observer: Observer): void {
  const { place, methods, observe } = use
  const object = Object(target) as object
  const originals = methods.map((name) => [name, Object.getOwnPropertyDescriptor(object, name)] as const)
  const restore = (): void => {
    for (const [name, original] of originals) {
      if (original === undefined) Reflect.deleteProperty(object, name)
      else Object.defineProperty(object, name, original)
    }
  }
  for (const name of methods) {
    replaceMethod(object, name, (own, args) => {
      restore()
      observer.guard(place, () => observe(object))
      return Reflect.apply(Reflect.get(object, name) as (...args: unknown[]) => unknown, own, args)
    })
  }
}

/** The same for each object of a class whose methods belong to its objects. `holder` has the class under `name`. */
export function observeClassAtFirstUse(
  holder: unknown,
  name: string,
  use: Omit<FirstUse, 'concerns'>,
  observer: Observer,
): void {
  const exports = Object(holder) as object
  const made: unknown = Reflect.get(exports, name)
  if (typeof made !== 'function') throw new TypeError(`there is no class ${name}`)
  const construct = (target: object, args: readonly unknown[], newTarget: unknown): object => {
    const object = Reflect.construct(target as NewableFunction, args, newTarget as NewableFunction) as object
    observer.guard(use.place, () => observeObjectAtFirstUse(object, use, observer))
    return object
  }
  Reflect.set(exports, name, new Proxy(made, { construct }))
}
