// The quick way to a route: paths without parameters by one look-up, all others by generated code. What it cannot decide it
// leaves to the plain twin, which decides everything.

import type { RequestContext } from '../http/request-context.ts'
import { decodePath, innerSlash } from './decode-path.ts'
import type { Candidate } from './find-candidates.ts'
import type { MatchResult } from './match-result.ts'
import { ask, generateMatcher } from './matcher-code.ts'
import type { Ask, GeneratedFind } from './matcher-code.ts'
import { PathFilter } from './path-filter.ts'
import type { RouteTable } from './route-table.ts'

/** The plain twin. */
export type FindPlainly = (context: RequestContext) => MatchResult

const notFound: MatchResult = Object.freeze({ kind: 'not_found' })

/** Finds routes of one table. */
export class CompiledMatcher {
  readonly #table: RouteTable
  readonly #findPlainly: FindPlainly
  readonly #find: GeneratedFind
  readonly #fixed: Map<string, FixedPath> = new Map()
  readonly #filter: PathFilter
  readonly #methods: ReadonlySet<string>
  /** Whether a pattern holds a percent sign, which a path as sent has only encoded. */
  readonly #hasPercent: boolean

  /** Throws where the environment forbids to make code (`EvalError`). */
  constructor(table: RouteTable, findPlainly: FindPlainly) {
    this.#table = table
    this.#findPlainly = findPlainly
    this.#find = generateMatcher(table.root)
    this.#methods = new Set(table.entries.flatMap((entry) => [...(entry.methods ?? ['GET', 'HEAD'])]))
    for (const [path, entries] of table.statics) {
      if (path.includes('%')) continue
      if (entries.some((entry) => !entry.hasTrailingSlash)) this.#fixed.set(path, new FixedPath())
      if (entries.some((entry) => entry.hasTrailingSlash)) this.#fixed.set(`${path}/`, new FixedPath())
    }
    this.#filter = new PathFilter([...this.#fixed.keys()])
    this.#hasPercent = table.entries.some(({ route }) => route.path.includes('%'))
  }

  /** The same as the twin's answer. Never throws. */
  find(context: RequestContext): MatchResult {
    const { path, method } = context
    if (this.#filter.mayHold(path)) {
      const fixed = this.#fixed.get(path)
      if (fixed !== undefined) {
        const known = method === 'GET' ? fixed.get : fixed.others?.get(method)
        if (known === undefined) return this.#learn(fixed, context)
        return known.kind === 'ask' ? this.#findPlainly(context) : known
      }
    }
    const result = this.#findWithParams(path, context)
    if (result.kind !== 'ask') return result
    return path.includes('%') ? this.#findEncoded(context) : this.#findPlainly(context)
  }

  /** An encoded path is asked again when it is decoded. */
  #findEncoded(context: RequestContext): MatchResult {
    const path = decodePath(context.path)
    if (path === null) return notFound
    if (path.includes(innerSlash) || path.includes('%') || this.#fixed.has(path)) return this.#findPlainly(context)
    const result = this.#findWithParams(path, context)
    return result.kind === 'ask' ? this.#findPlainly(context) : result
  }

  #findWithParams(path: string, context: RequestContext): MatchResult | Ask {
    const last = path.length - 1
    const endsInSlash = path.charCodeAt(last) === 47
    // With another slash at its end the path may be one of the fixed ones, which go first.
    if (endsInSlash ? this.#isNearShorter(path, last) : this.#isNearLonger(path)) return ask
    if (this.#hasPercent && path.includes('%')) return ask
    const result = this.#find(path, context.method, context.host, context.scheme)
    if (result !== undefined) return result
    return endsInSlash || this.#table.hasTails || path.includes('%') ? ask : notFound
  }

  #isNearShorter(path: string, last: number): boolean {
    return last < 1 || path.charCodeAt(last - 1) === 47 || this.#fixed.has(path.slice(0, -1))
  }

  #isNearLonger(path: string): boolean {
    return path === '' || (this.#table.hasFixedSlashes && this.#fixed.has(`${path}/`))
  }

  /** Keeps what a fixed path answers to a method, when nothing but path and method decide. */
  #learn(fixed: FixedPath, context: RequestContext): MatchResult {
    const { method, path } = context
    const result = this.#findPlainly(context)
    if (!this.#methods.has(method)) return result
    const isSure = result.kind !== 'redirect' && this.#table.candidates(path).every(isPlain)
    if (result.kind === 'match') Object.freeze(result.params)
    fixed.keep(method, isSure ? Object.freeze(result) : ask)
    return result
  }
}

/** What a path without parameters answers, by method; filled when first asked. */
class FixedPath {
  get: MatchResult | Ask | undefined = undefined
  others: Map<string, MatchResult | Ask> | undefined = undefined

  keep(method: string, result: MatchResult | Ask): void {
    if (method === 'GET') this.get = result
    else {
      this.others ??= new Map()
      this.others.set(method, result)
    }
  }
}

function isPlain({ entry }: Candidate): boolean {
  return entry.route.condition === null && entry.route.schemes.length === 0 && entry.route.host === ''
}
