// Any value as a tree of plain data that keeps what JSON loses: classes, sizes, maps, sets, circles, and where something was cut.

import { ValueWalker, type ValueLimits, type ValueMasker, type ValuePrinter } from './walk-value.ts'

/** `head` is the class, with the size of a map or set: `Map(2)`; empty for plain objects and arrays. */
export type ValueTree =
  | string
  | number
  | boolean
  | null
  /** `[Getter]`, `12n`, `undefined`, a date. */
  | { readonly mark: string }
  /** Members that were left out, at the end of a list. */
  | { readonly more: number }
  /** The value that is so many levels from the top, again. */
  | { readonly circular: number }
  /** An object of this class that lies too deep. */
  | { readonly deep: string }
  | { readonly head: string; readonly list: readonly ValueTree[] }
  | { readonly head: string; readonly fields: readonly (readonly [name: string, value: ValueTree])[] }
  | { readonly head: string; readonly map: readonly (readonly [key: ValueTree, value: ValueTree])[] }

/** The tree of an own property, masked by its name. `isPlain` if JSON loses nothing. Never throws. */
export function propertyTree(
  holder: object,
  key: string,
  limits: ValueLimits,
  masker: ValueMasker,
): { readonly tree: ValueTree; readonly isPlain: boolean } {
  let isPlain = true
  const special = (tree: ValueTree): ValueTree => {
    isPlain = false
    return tree
  }
  const headed = (head: string, tree: ValueTree): ValueTree => (head === '' ? tree : special(tree))
  const printer: ValuePrinter<ValueTree> = {
    showsHead: true,
    string: (text) => text,
    constant: (value) =>
      value === undefined || (typeof value === 'number' && !Number.isFinite(value))
        ? special({ mark: String(value) })
        : value,
    mark: (mark) => special({ mark }),
    more: (more) => special({ more }),
    circular: (level) => special({ circular: level }),
    deep: (className) => special({ deep: className }),
    list: (head, list) => headed(head, { head, list }),
    record: (head, fields) => headed(head, { head, fields }),
    map: (head, map) => special({ head, map }),
  }
  const tree = new ValueWalker(printer, limits, masker).property(holder, key)
  return { tree, isPlain }
}
