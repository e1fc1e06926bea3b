// What a response depends on besides its URL, for caches.

import type { Reply } from './reply.ts'

/** Adds a request header to `Vary`, unless it is named there. */
export function addVary(reply: Reply, header: string): void {
  const named: string[] = []
  for (let index = 0; index < reply.headers.length; index += 2) {
    if (reply.headers[index]?.toLowerCase() !== 'vary') continue
    named.push(...(reply.headers[index + 1] ?? '').split(',').map((name) => name.trim()))
  }
  if (named.some((name) => name === '*' || name.toLowerCase() === header.toLowerCase())) return
  reply.removeHeader('vary').appendHeader('vary', [...named, header].join(', '))
}
