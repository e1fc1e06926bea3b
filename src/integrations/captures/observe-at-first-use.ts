// Observes the objects of a class without being handed each of them: the first use of one leads to the function that observes it.

import type { Observer } from '../integration.ts'
import { replaceMethod } from '../replace-method.ts'

export interface FirstUse {
  /** For people: `pg`. */
  readonly place: string
  /** The methods by which an object is used. */
  readonly methods: readonly string[]
  /** Gives the object methods of its own under those names; such an object counts as observed. */
  readonly observe: (target: object) => void
  /** Whether this object is to be observed. Default: each is. */
  readonly concerns?: (target: object) => boolean
}

/** Throws a TypeError where the class has not all of the methods. */
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
