// Where code sets header fields, for who listens.

import { channel, type Channel } from 'node:diagnostics_channel'

/** Hears of header fields where code sets them, or with a site, as name and values; of a cookie at least `name=value`. In debug somebody listens. */
export const setFields: Channel = channel('fanlight.fields')

export function tellField(...field: readonly [name: string, value: unknown, site?: Error]): void {
  if (setFields.hasSubscribers) setFields.publish(field)
}
