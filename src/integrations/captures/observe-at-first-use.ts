// Observes the objects of a class without being handed each of them: the first use of one leads to the function that observes it.

import type { LoadHook } from '../integration.ts'
import { replaceMethod } from '../replace-method.ts'
import { observe as observeAny } from './observers.ts'

type Take = LoadHook['take']

interface Use {
  /** Defines methods of those names on the object; such an object counts as observed. Default: `observe` of `fanlight/capture`. */
  readonly observe?: (target: object) => void
  /** Whether this object is to be observed. Default: each is. */
  readonly concerns?: (target: object) => boolean
}

/**
 * For a value that is a class. `place` is for people: `pg: client`; `methods` are those by which an object is used. Throws a TypeError if the
 * class has not all of them.
 */
export function atFirstUse(
  place: string,
  methods: readonly string[],
  { observe = observeAny, concerns }: Use = {},
): Take {
  return (constructor, observer) => {
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
}

/** For a value that is the object. Throws a TypeError if it has not all of the methods. */
export function objectAtFirstUse(place: string, methods: readonly string[]): Take {
  return (target, observer) => {
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
        observer.guard(place, () => observeAny(object))
        return Reflect.apply(Reflect.get(object, name) as (...args: unknown[]) => unknown, own, args)
      })
    }
  }
}

/** For a value that has a class under `name` whose methods belong to its objects. */
export function classAtFirstUse(name: string, place: string, methods: readonly string[]): Take {
  const take = objectAtFirstUse(place, methods)
  return (holder, observer) => {
    const exports = Object(holder) as object
    const made: unknown = Reflect.get(exports, name)
    if (typeof made !== 'function') throw new TypeError(`there is no class ${name}`)
    const construct = (target: object, args: readonly unknown[], newTarget: unknown): object => {
      const object = Reflect.construct(target as NewableFunction, args, newTarget as NewableFunction) as object
      observer.guard(place, () => take(object, observer))
      return object
    }
    Reflect.set(exports, name, new Proxy(made, { construct }))
  }
}

/** What is taken, wherever the builds of a package have it: file, expression for the value, major versions. */
export function hooksOf(
  name: string,
  take: Take,
  ...places: readonly (readonly [file: string, value: LoadHook['value'], majors?: readonly number[]])[]
): readonly LoadHook[] {
  return places.map(([file, value, majors]) => ({ package: name, file, value, majors, take }))
}
