// Schemas of valibot whose objects have no prototype: it walks the members of a schema with `for … in`, and must not meet what an application has put
// on `Object.prototype`, by mistake or by an attack.

import * as v from 'valibot'

export * from 'valibot'

/** As `v.object`. */
export const object: typeof v.object = ((entries: v.ObjectEntries) => v.object(bare(entries))) as typeof v.object

/** As `v.looseObject`. */
export const looseObject: typeof v.looseObject = ((entries: v.ObjectEntries) =>
  v.looseObject(bare(entries))) as typeof v.looseObject

function bare(entries: v.ObjectEntries): v.ObjectEntries {
  return Object.assign(Object.create(null) as object, entries)
}
