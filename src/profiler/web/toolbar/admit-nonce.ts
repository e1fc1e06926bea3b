// Lets the toolbar's own style and script run under the policy of a page, and report what goes wrong, and nothing else: a nonce is added
// if inline code of the kind is refused, the address of reports if it is; every other word of the policy stays as it was sent.

const policyFields: ReadonlySet<string> = new Set(['content-security-policy', 'content-security-policy-report-only'])

/** What a style and a script element, and a report, are decided by, in the order the directives are asked (CSP 3, section 6.8). */
const kinds = [
  { kind: 'script', names: ['script-src-elem', 'script-src', 'default-src'] },
  { kind: 'style', names: ['style-src-elem', 'style-src', 'default-src'] },
  { kind: 'connect', names: ['connect-src', 'default-src'] },
] as const

type Kind = (typeof kinds)[number]['kind']

/** Whether any of the flat header fields is a policy. */
export function hasPolicy(headers: readonly string[]): boolean {
  return headers.some((name, index) => index % 2 === 0 && policyFields.has(name.toLowerCase()))
}

/**
 * Flat header fields with every policy changed so that elements with the nonce may run and `address` may be asked; fields of other names
 * are kept. `null` when that is impossible: a page in a sandbox.
 */
export function admitNonce(headers: readonly string[], nonce: string, address: string | null = null): string[] | null {
  const admitted: string[] = []
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? ''
    const value = headers[index + 1] ?? ''
    const changed = policyFields.has(name.toLowerCase()) ? policiesWithNonce(value, nonce, address) : value
    if (changed === null) return null
    admitted.push(name, changed)
  }
  return admitted
}

/** A field may hold several policies, and all of them must agree: each is changed. `null` for a sandbox. */
export function policiesWithNonce(field: string, nonce: string, address: string | null = null): string | null {
  const changed: string[] = []
  for (const policy of field.split(',')) {
    const next = policyWithNonce(policy, nonce, address)
    if (next === null) return null
    changed.push(next)
  }
  return changed.join(',')
}

function policyWithNonce(policy: string, nonce: string, address: string | null): string | null {
  const directives = policy.split(';')
  const places = placesOf(directives)
  if (places.has('sandbox')) return null
  const added: string[] = []
  for (const { kind, names } of kinds) {
    const name = names.find((candidate) => places.has(candidate))
    const place = name === undefined ? undefined : places.get(name)
    if (name === undefined || place === undefined) continue
    const [written = name, ...sources] = wordsOf(directives[place] ?? '')
    const source = kind === 'connect' ? address : `'nonce-${nonce}'`
    if (source === null || allowsOwn(sources, kind)) continue
    const allowed = [...sources.filter((one) => one.toLowerCase() !== "'none'"), source].join(' ')
    // What falls back to `default-src` is more than our element: a separate directive leaves the rest alone.
    if (name === 'default-src') added.push(` ${kind}-src ${allowed}`)
    else directives[place] = `${place === 0 ? '' : ' '}${written} ${allowed}`
  }
  if (added.length === 0) return directives.join(';')
  const last = directives.at(-1)?.trim() === '' ? directives.slice(0, -1) : directives
  return [...last, ...added].join(';')
}

/** Where each directive is; of two with one name the first counts. */
function placesOf(directives: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  for (const [index, directive] of directives.entries()) {
    const name = wordsOf(directive)[0]?.toLowerCase()
    if (name !== undefined && !places.has(name)) places.set(name, index)
  }
  return places
}

function wordsOf(directive: string): string[] {
  return directive.split(/[\t\n\f\r ]+/).filter((word) => word !== '')
}

/** Whether what is ours is allowed already. A nonce would end that for inline code: it makes browsers overlook `'unsafe-inline'`. */
function allowsOwn(sources: readonly string[], kind: Kind): boolean {
  const words = sources.map((source) => source.toLowerCase())
  if (kind === 'connect') return words.includes("'self'") || words.includes('*')
  if (!words.includes("'unsafe-inline'")) return false
  if (kind === 'script' && words.includes("'strict-dynamic'")) return false
  return !words.some((word) => /^'(?:nonce|sha256|sha384|sha512)-/.test(word))
}
