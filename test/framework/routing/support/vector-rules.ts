// The deliberate differences from the originals of the vectors, one function each. A rule changes what is expected, or how a
// route is written; it counts how often it did.

import type { MatchResult } from '../../../../src/routing/url-matcher.ts'
import type { MatchFile, VectorOutcome, VectorRequest, VectorRoute } from './vectors.ts'

/** How often each rule was applied. */
export class RuleCounts {
  readonly counts: Map<string, number> = new Map()

  /** Notes one use of a rule. */
  count(rule: string): void {
    this.counts.set(rule, (this.counts.get(rule) ?? 0) + 1)
  }

  /** For the test's output. */
  toString(): string {
    return [...this.counts].map(([rule, count]) => `${rule}: ${count}`).join(', ')
  }
}

/** Rule 2: a GET route answers HEAD, and says so. */
export function allowHead(outcome: VectorOutcome, rules: RuleCounts): VectorOutcome {
  if (outcome.kind !== 'method_not_allowed' || !outcome.allow.includes('GET') || outcome.allow.includes('HEAD'))
    return outcome
  rules.count('Allow lists HEAD behind GET')
  return { ...outcome, allow: outcome.allow.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])) }
}

/** Rule 3, second part: malformed percent-encoding, and what is not UTF-8, matches nothing. */
export function refuseMalformed(request: VectorRequest, outcome: VectorOutcome, rules: RuleCounts): VectorOutcome {
  try {
    decodeURIComponent(request.path)
    return outcome
  } catch {
    rules.count('malformed encoding matches nothing')
    return { kind: 'not_found' }
  }
}

/**
 * Rule 3, first part: `%2F` never splits. The outcome must be the one of the same request with a letter that no route
 * mentions in place of each `%2F`, and the letter means a slash in the values.
 */
export function keepInnerSlash(
  request: VectorRequest,
  find: (path: string) => MatchResult,
  rules: RuleCounts,
): MatchResult | null {
  if (!/%2f/i.test(request.path)) return null
  rules.count('%2F stays inside its segment')
  const result = find(request.path.replaceAll(/%2f/gi, '%C7%82'))
  if (result.kind === 'redirect') return { ...result, location: result.location.replaceAll('%C7%82', '%2F') }
  if (result.kind !== 'match') return result
  const params = Object.entries(result.params).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.replaceAll('\u01c2', '/') : value,
  ])
  return { ...result, params: Object.fromEntries(params) as Record<string, string> }
}

/** Rule 4: the same requirement written for JavaScript, where the original's is only understood by PCRE. */
export function writeForJavaScript(route: VectorRoute, rules: RuleCounts): VectorRoute {
  const translate = (source: string): string =>
    source
      .replaceAll(/\[(?:\\.|[^\]])*\]|([+*?])\+/g, (all, kept?: string) => kept ?? all)
      .replace(/^\(\?i\)(.*)$/, '(?i:$1)')
  const requirements = Object.entries(route.requirements ?? {}).map(([name, text]) => [
    name,
    typeof text === 'string' ? translate(text) : text,
  ])
  const written = {
    ...route,
    requirements: Object.fromEntries(requirements) as NonNullable<VectorRoute['requirements']>,
  }
  const isSame = JSON.stringify(written.requirements) === JSON.stringify(route.requirements ?? {})
  if (isSame) return route
  rules.count('requirements are JavaScript expressions')
  return written
}

/** Rule 4: an expression counts characters; without `utf8` the original counts bytes. Looks at requirements of dots only. */
export function countCharacters(
  file: MatchFile,
  request: VectorRequest,
  outcome: VectorOutcome,
  rules: RuleCounts,
): VectorOutcome {
  const path = URL.canParse(request.path, 'http://h') ? decode(request.path) : ''
  if (!/[^\0-\x7f]/.test(path)) return outcome
  const taken = file.routes.find((route) => {
    const prefix = /^(.*)\{x\}$/.exec(route.path)?.[1]
    const dots = route.requirements?.['x']
    if (prefix === undefined || route.options?.utf8 === true || typeof dots !== 'string' || !/^\.+$/.test(dots))
      return false
    return path.startsWith(prefix) && Array.from(path.slice(prefix.length)).length === dots.length
  })
  if (taken === undefined) return outcome
  rules.count('requirements count characters')
  const value = path.slice(taken.path.indexOf('{x}'))
  return { kind: 'match', route: taken.name, params: { x: value } }
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return ''
  }
}
