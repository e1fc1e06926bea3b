// Puts a method of an integration in front of a method of a package.

export type Method = (...args: unknown[]) => unknown

/** What runs in place of a method; `run` runs the method itself, on the same object with the same arguments. */
export type Replacement = (target: object, args: readonly unknown[], run: () => unknown) => unknown

/**
 * Replaces a method of a prototype, and keeps its name and its length. Throws a TypeError where there is no such method, and where it
 * cannot be replaced.
 */
export function replaceMethod(prototype: unknown, name: string, replacement: Replacement): void {
  const holder = Object(prototype) as object
  const method: unknown = Reflect.get(holder, name)
  if (typeof method !== 'function') throw new TypeError(`there is no method ${name}`)
  const replaced = {
    [name](this: object, ...args: unknown[]): unknown {
      return replacement(this, args, () => Reflect.apply(method, this, args) as unknown)
    },
  }[name]
  Object.defineProperty(replaced, 'length', { value: method.length, configurable: true })
  Object.defineProperty(holder, name, { ...Object.getOwnPropertyDescriptor(holder, name), value: replaced })
}
