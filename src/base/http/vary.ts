// What a response depends on other than its URL, for caches.

import { listedFields } from './header-fields.ts'
import type { Reply } from './reply.ts'

/** Adds a request header to `Vary`, unless it is named there. */
export function addVary(reply: Reply, header: string): void {
  const named = [...listedFields(reply.headers)]
    .filter(([name]) => name.toLowerCase() === 'vary')
    .flatMap(([, value]) => value.split(',').map((name) => name.trim()))
  if (named.some((name) => name === '*' || name.toLowerCase() === header.toLowerCase())) return
  reply.removeHeader('vary').appendHeader('vary', [...named, header].join(', '))
}
