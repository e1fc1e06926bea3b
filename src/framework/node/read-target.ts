// Cuts a request target (RFC 9112, section 3.2) into path and query, exactly as sent. It makes no URL object: that would
// take `//a/b` for a host, drop dots, and throw.

/** The parts of a target. */
export interface TargetParts {
  /** As sent; starts with `/`, or is `*`. */
  readonly path: string
  /** As sent, without `?`; empty when there is none. */
  readonly query: string
  /** Authority of an absolute target, `example.org:80`; `null` for the usual form. */
  readonly authority: string | null
}

/** Cuts `/a?b`, `http://host/a?b` or `*`; `null` for anything else. Linear, and never throws. */
export function readTarget(target: string): TargetParts | null {
  if (target.charCodeAt(0) === 0x2f) return cut(target, 0, null)
  if (target === '*') return { path: '*', query: '', authority: null }
  const start = authorityStart(target)
  if (start === 0) return null
  let end = start
  while (end < target.length && !endsAuthority(target.charCodeAt(end))) end += 1
  const authority = target.slice(start, end)
  return target.charCodeAt(end) === 0x2f ? cut(target, end, authority) : cut(`/${target.slice(end)}`, 0, authority)
}

function cut(target: string, start: number, authority: string | null): TargetParts {
  const question = target.indexOf('?', start)
  if (question < 0) return { path: start === 0 ? target : target.slice(start), query: '', authority }
  return { path: target.slice(start, question), query: target.slice(question + 1), authority }
}

/** Offset behind `http://` or `https://`, or 0. */
function authorityStart(target: string): number {
  const scheme = target.slice(0, 8).toLowerCase()
  if (scheme.startsWith('http://')) return 7
  return scheme === 'https://' ? 8 : 0
}

function endsAuthority(code: number): boolean {
  return code === 0x2f || code === 0x3f || code === 0x23
}
