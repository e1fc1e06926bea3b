// Writes one path relative to another, for links within a site.

/** The reference from `base` to `target`, both absolute and encoded; empty where they are the same: `/a/b`, `/a/c` gives `c`. */
export function relativePath(base: string, target: string): string {
  if (base === target) return ''
  const from = base.replace(/^\//, '').split('/')
  const to = target.replace(/^\//, '').split('/')
  from.pop()
  const file = to.pop() ?? ''
  let shared = 0
  while (shared < from.length && shared < to.length && from[shared] === to[shared]) shared += 1
  const path = '../'.repeat(from.length - shared) + [...to.slice(shared), file].join('/')
  // A first segment that is empty or holds a colon would be read as a root or a scheme (RFC 3986, section 4.2).
  const colon = path.indexOf(':')
  const slash = path.indexOf('/')
  const isAmbiguous = path === '' || path.startsWith('/') || (colon >= 0 && (slash < 0 || colon < slash))
  return isAmbiguous ? `./${path}` : path
}
