// The quick way to a route: paths without parameters by one look-up, all others by generated code. What it cannot decide it
// leaves to the plain twin, which decides everything.

import type { RequestContext } from '../http/request-context.ts'
import { decodePath, hasInnerSlash } from './decode-path.ts'
import type { Candidate } from './find-candidates.ts'
import { FirstLook } from './first-look.ts'
import { FixedPaths } from './fixed-paths.ts'
import type { FixedPath } from './fixed-paths.ts'
import type { MatchResult } from './match-result.ts'
import { ask, generateMatcher } from './matcher-code.ts'
import type { Ask, GeneratedFind } from './matcher-code.ts'
import type { RouteTable } from './route-table.ts'

/** The plain twin. */
export type FindPlainly = (context: RequestContext) => MatchResult

const notFound: MatchResult = Object.freeze({ kind: 'not_found' })

/** Finds routes of one table. */
export class CompiledMatcher {
  readonly #table: RouteTable
  readonly #findPlainly: FindPlainly
  readonly #find: GeneratedFind
  readonly #fixed: FixedPaths
  readonly #firstLook: FirstLook | null
  readonly #methods: ReadonlySet<string>
  /** Whether a pattern holds a percent sign, which a path as sent has only encoded. */
  readonly #hasPercent: boolean

  /** Throws where the environment forbids to make code (`EvalError`). */
  constructor(table: RouteTable, findPlainly: FindPlainly) {
    this.#table = table
    this.#findPlainly = findPlainly
    this.#find = generateMatcher(table.root)
    this.#methods = new Set(table.entries.flatMap((entry) => [...(entry.methods ?? ['GET', 'HEAD'])]))
    const paths = fixedPathsOf(table)
    this.#fixed = new FixedPaths(paths)
    this.#firstLook = FirstLook.of(paths, table.root)
    this.#hasPercent = table.entries.some(({ route }) => route.path.includes('%'))
  }

  /** The same as the twin's answer. Never throws. */
  find(context: RequestContext): MatchResult {
    const { path } = context
    // Whichever of the two costs less goes first.
    if (!this.#fixed.isSmall && this.#isStranger(path)) return notFound
    const fixed = this.#fixed.find(path)
    if (fixed !== undefined) {
      const known = fixed.answer(context.method) ?? this.#learn(fixed, context)
      return known.kind === 'ask' ? this.#findPlainly(context) : known
    }
    if (this.#fixed.isSmall && this.#isStranger(path)) return notFound
    const result = this.#findWithParams(path, context)
    if (result.kind !== 'ask') return result
    return path.includes('%') ? this.#findEncoded(context) : this.#findPlainly(context)
  }

  #isStranger(path: string): boolean {
    return this.#firstLook !== null && this.#firstLook.isStranger(path)
  }

  /** An encoded path is asked again when it is decoded. */
  #findEncoded(context: RequestContext): MatchResult {
    const path = decodePath(context.path)
    if (path === null) return notFound
    if (hasInnerSlash(path) || path.includes('%') || this.#fixed.find(path) !== undefined)
      return this.#findPlainly(context)
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
    return last < 1 || path.charCodeAt(last - 1) === 47 || this.#fixed.find(path.slice(0, -1)) !== undefined
  }

  #isNearLonger(path: string): boolean {
    return path === '' || (this.#table.hasFixedSlashes && this.#fixed.find(`${path}/`) !== undefined)
  }

  /** Keeps what a fixed path answers to a method, when nothing but path and method decide. */
  #learn(fixed: FixedPath, context: RequestContext): MatchResult | Ask {
    const { method, path } = context
    const isNamed = this.#methods.has(method)
    if (!isNamed && fixed.unnamed !== undefined) return fixed.unnamed
    const result = this.#findPlainly(context)
    const isSure = result.kind !== 'redirect' && this.#table.candidates(path).every(isPlain)
    if (result.kind === 'match') Object.freeze(result.params)
    const kept = isSure ? Object.freeze(result) : ask
    if (isNamed) fixed.keep(method, kept)
    else fixed.unnamed = kept
    return result
  }
}

/** Paths without parameters in the form of their routes: with or without the slash at the end. */
function fixedPathsOf({ statics }: RouteTable): string[] {
  const paths: string[] = []
  for (const [path, entries] of statics) {
    if (path.includes('%')) continue
    if (entries.some((entry) => !entry.hasTrailingSlash)) paths.push(path)
    if (entries.some((entry) => entry.hasTrailingSlash)) paths.push(`${path}/`)
  }
  return paths
}

function isPlain({ entry }: Candidate): boolean {
  return entry.route.condition === null && entry.route.schemes.length === 0 && entry.route.host === ''
}
