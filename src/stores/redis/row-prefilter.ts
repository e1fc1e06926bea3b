// Tells rows that cannot pass a filter by their text alone: most rows of a long search need not be parsed.

import type { ProfileFilter } from '../../profiler/profile-store.ts'

/** True for every row that passes the filter, and for some that do not. */
export function mayPass(filter: ProfileFilter): (row: string) => boolean {
  const { method, route, ip, traceId, version, service, tag, errorFamily, parentToken, status, url } = filter
  const exact = [method, route, ip, traceId, version, service, errorFamily, parentToken].filter(
    (value) => value !== undefined,
  )
  const texts = exact.map((value) => JSON.stringify(value))
  // The tags of a row are a JSON text in a JSON text.
  if (tag !== undefined) texts.push(JSON.stringify(JSON.stringify(tag)).slice(1, -1))
  if (typeof status === 'number') texts.push(`,${status},`)
  const statuses = typeof status === 'string' ? new RegExp(`,${status.charAt(0)}\\d\\d,`) : undefined
  // Letter case is ignored; other letters than those of ASCII can change their length with it.
  const part = url === undefined || !/^[\x20-\x7e]*$/.test(url) ? '' : JSON.stringify(url.toLowerCase()).slice(1, -1)
  return (row) =>
    texts.every((text) => row.includes(text)) &&
    statuses?.test(row) !== false &&
    (part === '' || row.toLowerCase().includes(part))
}
