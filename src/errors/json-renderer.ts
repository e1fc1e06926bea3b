// An error as plain data, for problem documents in debug.

import type { Suggestion } from '../framework/routing/suggest-routes.ts'
import type { ErrorView } from './error-view.ts'
import type { ErrorChain, FlattenedError } from './flattened-error.ts'
import type { Hint } from './hints/hint.ts'
import { originSourceLines } from './origin-lines.ts'
import type { Work } from './request-work.ts'
import { frameText } from './trace-lines.ts'
import type { ChangeCandidate, OriginSource, ValueOrigin } from './value-origin.ts'

/** What debug adds to a problem document, as its member `debug`. */
export interface ProblemDebug extends ChainData {
  /** Of the outermost error. */
  readonly message: string
  readonly method: string
  /** In full, as sent. */
  readonly url: string
  /** Name of the matched route, or `null`. */
  readonly route: string | null
  /** Token of the profile; `null` if nothing is recorded. */
  readonly token: string | null
  /** Queries, outgoing requests and spans so far. Absent if there are none. */
  readonly work?: readonly Work[]
  readonly suggestions: readonly Suggestion[]
  readonly hints: readonly Hint[]
  readonly origins: readonly OriginData[]
  /** Lines that are most likely wrong. */
  readonly candidates: readonly ChangeCandidate[]
}

/** The origin of a value, with its source as lines of text. */
export interface OriginData extends Omit<ValueOrigin, 'source'> {
  readonly source: (Omit<OriginSource, 'parts'> & { readonly lines: readonly string[] }) | null
}

export interface ChainData {
  /** Outermost first. */
  readonly errors: readonly ErrorData[]
  /** What was left out. Absent if nothing was. */
  readonly cut?: string
}

export interface ErrorData {
  readonly class: string
  readonly message: string
  readonly code: string | null
  readonly properties: Readonly<Record<string, string>>
  readonly trace: readonly string[]
  /** Members of an AggregateError, each with its causes. */
  readonly members?: readonly ChainData[]
}

export function debugMember(view: ErrorView): ProblemDebug {
  const outermost = view.chain.errors[0]
  return {
    message: outermost?.message ?? '',
    method: view.method,
    url: view.url,
    route: view.route,
    token: view.token,
    ...chainData(view.chain),
    ...(view.work === undefined ? {} : { work: view.work.work }),
    suggestions: view.suggestions,
    hints: view.hints ?? [],
    origins: (view.origins ?? []).map(originData),
    candidates: view.candidates ?? [],
  }
}

function originData({ source, ...origin }: ValueOrigin): OriginData {
  if (source === null) return { ...origin, source }
  const { file, line, marked } = source
  return { ...origin, source: { file, line, marked, lines: originSourceLines(source) } }
}

function chainData(chain: ErrorChain): ChainData {
  return { errors: chain.errors.map(errorData), ...(chain.cut === null ? {} : { cut: chain.cut }) }
}

function errorData(error: FlattenedError): ErrorData {
  // Without a prototype, because the error chooses the names: `__proto__` is a name like others.
  const properties: Record<string, string> = Object.create(null) as Record<string, string>
  for (const { name, value } of error.properties) properties[name] = value
  return {
    class: error.className,
    message: error.message,
    code: error.code,
    properties,
    trace: error.frames.map(frameText),
    ...(error.members.length === 0 ? {} : { members: error.members.map(chainData) }),
  }
}
