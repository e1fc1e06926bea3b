// An error as plain data, for problem documents in debug.

import type { ErrorView } from './error-view.ts'
import type { ErrorChain, FlattenedError } from './flattened-error.ts'
import { originSourceLines } from './origin-lines.ts'
import { frameText } from './trace-lines.ts'
import type { ValueOrigin } from './value-origin.ts'

/** What debug adds to a problem document, as its member `debug`. */
export function debugMember(view: ErrorView): Readonly<Record<string, unknown>> {
  const outermost = view.chain.errors[0]
  return {
    message: outermost?.message ?? '',
    method: view.method,
    url: view.url,
    route: view.route,
    token: view.token,
    errors: chainData(view.chain).errors,
    ...(view.chain.cut === null ? {} : { cut: view.chain.cut }),
    ...(view.work === undefined ? {} : { work: view.work.work }),
    suggestions: view.suggestions,
    hints: view.hints ?? [],
    origins: (view.origins ?? []).map(originData),
    candidates: view.candidates ?? [],
  }
}

function originData({ source, ...origin }: ValueOrigin): object {
  if (source === null) return { ...origin, source }
  const { file, line, marked } = source
  return { ...origin, source: { file, line, marked, lines: originSourceLines(source) } }
}

interface ErrorData {
  readonly class: string
  readonly message: string
  readonly code: string | null
  readonly properties: Readonly<Record<string, string>>
  readonly trace: readonly string[]
  readonly members?: readonly { readonly errors: readonly ErrorData[]; readonly cut?: string }[]
}

function chainData(chain: ErrorChain): { errors: ErrorData[]; cut?: string } {
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
