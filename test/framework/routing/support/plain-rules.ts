// Symfony's rules of matching, read plainly: one expression for each route, asked one after the other. Shares nothing with the matcher.
// Paths are short here, and expressions may backtrack as they like.

/** A route of this reading. */
export interface PlainRoute {
  readonly name: string
  readonly path: string
  readonly methods: readonly string[]
  readonly requirements: Readonly<Record<string, string>>
  readonly defaults: Readonly<Record<string, string>>
}

/** An outcome of this reading. */
export type PlainOutcome =
  | { readonly kind: 'match'; readonly route: string; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: 'redirect'; readonly route: string; readonly location: string }
  | { readonly kind: 'method_not_allowed'; readonly allow: readonly string[] }
  | { readonly kind: 'not_found' }

interface PlainParam {
  readonly name: string
  readonly separator: string
  readonly source: string
  readonly isOptional: boolean
}

interface Compiled {
  readonly route: PlainRoute
  readonly expression: RegExp
  readonly names: readonly string[]
  readonly hasTrailingSlash: boolean
  readonly hasTrailingParam: boolean
}

const separators = '/,;.:-_~+*=@|'

/** Answers like a compiled matcher that redirects. */
export function plainMatcher(routes: readonly PlainRoute[]): (method: string, path: string) => PlainOutcome {
  const inOrder = staticFirst(routes.map(compile))
  return (method, path) => {
    const first = ask(inOrder, method, path)
    if (first.match !== null) return first.match
    if (first.allow.length > 0) return { kind: 'method_not_allowed', allow: first.allow }
    const trimmed = trim(path)
    if ((method !== 'GET' && method !== 'HEAD') || trimmed === '/') return { kind: 'not_found' }
    const location = trimmed === path ? `${path}/` : trimmed
    const { match } = ask(inOrder, method, location)
    return match === null ? { kind: 'not_found' } : { kind: 'redirect', route: match.route, location }
  }
}

function trim(path: string): string {
  return path.replace(/\/+$/, '') || '/'
}

function compile(route: PlainRoute): Compiled {
  const { path } = route
  const places = [...path.matchAll(/\{(!?)(\w+)\}/g)]
  const parts: (string | PlainParam)[] = []
  let from = 0
  for (const place of places) {
    const before = path.slice(from, place.index)
    from = place.index + place[0].length
    const last = before.slice(-1)
    const separator = last !== '' && separators.includes(last) ? last : ''
    if (before.length > separator.length) parts.push(before.slice(0, before.length - separator.length))
    const name = place[2] ?? ''
    const source = route.requirements[name] ?? defaultSource(path.slice(from))
    parts.push({ name, separator, source, isOptional: place[1] === '' && name in route.defaults })
  }
  if (from < path.length) parts.push(path.slice(from))
  let firstOptional = parts.length
  while (firstOptional > 0 && isOptional(parts[firstOptional - 1])) firstOptional -= 1
  let source = ''
  let open = 0
  for (const [index, part] of parts.entries()) {
    if (typeof part === 'string') source += quote(part)
    else {
      const separator = quote(part.separator)
      // An empty value counts as a value, which a group with a question mark would not say in JavaScript.
      if (index === 0 && firstOptional === 0) source += `${separator}(?:(${part.source})|)`
      else if (index >= firstOptional) {
        source += `(?:${separator}(${part.source})`
        open += 1
      } else source += `${separator}(${part.source})`
    }
  }
  const hasTrailingSlash = path !== '/' && path.endsWith('/')
  const body = hasTrailingSlash ? source.slice(0, -quote('/').length) : source
  return {
    route,
    expression: new RegExp(`^${body}${'|)'.repeat(open)}/?$`, 'su'),
    names: places.map((place) => place[2] ?? ''),
    hasTrailingSlash,
    hasTrailingParam: /\{\w+\}\/?$/.test(path),
  }
}

/** Written such that it only means itself. */
function quote(text: string): string {
  return text.replaceAll(/[^\w]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`)
}

function isOptional(part: string | PlainParam | undefined): boolean {
  return typeof part === 'object' && part.isOptional
}

function defaultSource(following: string): string {
  const next = following.replaceAll(/\{\w+\}/g, '').charAt(0)
  return next !== '' && next !== '/' && separators.includes(next) ? `[^/${quote(next)}]+` : '[^/]+'
}

/** A route without parameters goes first, unless an earlier one with parameters matches its path. */
function staticFirst(all: readonly Compiled[]): readonly Compiled[] {
  const isFirst = ({ route, names }: Compiled, index: number): boolean => {
    const own = route.path === '/' ? '/' : route.path.replace(/\/$/, '')
    const forms = [own, `${own}/`]
    return (
      names.length === 0 &&
      trim(own) === own &&
      !all.slice(0, index).some((other) => other.names.length > 0 && forms.some((form) => other.expression.test(form)))
    )
  }
  const first = all.filter(isFirst)
  // Any number of slashes may be at the end of their paths.
  const loose = first.map((one) => ({
    ...one,
    expression: new RegExp(`^${quote(one.route.path.replace(/\/+$/, ''))}/*$`, 'su'),
  }))
  return [...loose, ...all.filter((one) => !first.includes(one))]
}

function ask(
  all: readonly Compiled[],
  method: string,
  path: string,
): { match: (PlainOutcome & { kind: 'match' }) | null; allow: readonly string[] } {
  const canonical = method === 'HEAD' ? 'GET' : method
  const trimmed = trim(path)
  const allow: string[] = []
  for (const { route, expression, names, hasTrailingSlash, hasTrailingParam } of all) {
    let found = expression.exec(path)
    if (found === null) continue
    const { methods } = route
    let takesSlash = hasTrailingParam && trimmed !== path
    if (takesSlash) {
      const last = found[names.length]
      const shorter =
        hasTrailingSlash || last === undefined || (last !== '' && !last.endsWith('/')) ? expression.exec(trimmed) : null
      if (shorter !== null && hasTrailingSlash) found = shorter
      else if (shorter !== null) takesSlash = false
    }
    const isOther = path !== '/' && !takesSlash && hasTrailingSlash === (trimmed === path)
    if (isOther) {
      if (canonical === 'GET' && (methods.length === 0 || methods.includes('GET'))) return { match: null, allow: [] }
      continue
    }
    if (methods.length > 0 && !methods.includes(canonical) && !methods.includes(method)) {
      for (const one of methods) if (!allow.includes(one)) allow.push(one)
      continue
    }
    return {
      match: { kind: 'match', route: route.name, params: { ...route.defaults, ...valuesOf(found, names) } },
      allow,
    }
  }
  return { match: null, allow }
}

/** Parameters that are left out at the end have no value; others before them are empty. */
function valuesOf(found: RegExpExecArray, names: readonly string[]): Record<string, string> {
  let count = names.length
  while (count > 0 && found[count] === undefined) count -= 1
  return Object.fromEntries(names.slice(0, count).map((name, index) => [name, found[index + 1] ?? '']))
}
