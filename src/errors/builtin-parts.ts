// Reads built-in containers by the language's own methods, so that nothing a subclass or an instance overrides is
// called.

/** Entries of a map. */
export function mapSize(map: Map<unknown, unknown>): number {
  return Number(mapSizeGetter?.call(map))
}

/** The first entries of a map. */
export function mapEntries(map: Map<unknown, unknown>, limit: number): [key: unknown, value: unknown][] {
  return first(Map.prototype.entries.call(map), limit) as [unknown, unknown][]
}

/** Members of a set. */
export function setSize(set: Set<unknown>): number {
  return Number(setSizeGetter?.call(set))
}

/** The first members of a set. */
export function setItems(set: Set<unknown>, limit: number): unknown[] {
  return first(Set.prototype.values.call(set), limit)
}

/** Bytes of a buffer or a view of one; 0 where it is detached. */
export function byteLength(value: ArrayBufferLike | ArrayBufferView): number {
  for (const getter of byteLengthGetters) {
    try {
      return Number(getter?.call(value))
    } catch {
      // Of another kind, or a detached DataView.
    }
  }
  return 0
}

function getterOf(prototype: object, name: string): (() => unknown) | undefined {
  return Object.getOwnPropertyDescriptor(prototype, name)?.get
}

const mapSizeGetter = getterOf(Map.prototype, 'size')
const setSizeGetter = getterOf(Set.prototype, 'size')
const byteLengthGetters = [
  ArrayBuffer.prototype,
  SharedArrayBuffer.prototype,
  Object.getPrototypeOf(Uint8Array.prototype) as object,
  DataView.prototype,
].map((prototype) => getterOf(prototype, 'byteLength'))

function first(iterator: Iterator<unknown>, limit: number): unknown[] {
  const items: unknown[] = []
  while (items.length < limit) {
    const step = iterator.next()
    if (step.done === true) break
    items.push(step.value)
  }
  return items
}
