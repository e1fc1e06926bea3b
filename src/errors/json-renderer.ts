// An error as a problem document (RFC 9457).

import type { ErrorView } from './error-view.ts'
import type { ErrorChain, FlattenedError } from './flattened-error.ts'
import { originSourceLines } from './origin-lines.ts'
import { frameText } from './trace-lines.ts'
import type { ValueOrigin } from './value-origin.ts'

/** The problem document in debug, with `errors`, `trace`, `work`, `suggestions`, `hints`, `origins`, `candidates` and `token` next to the RFC's members. */
export function renderErrorJson(view: ErrorView): string {
  const outermost = view.chain.errors[0]
  const document = {
    type: 'about:blank',
    title: view.statusText,
    detail: outermost?.message ?? '',
    ...view.problem,
    // The error's own fields can add to the document but not contradict the response.
    status: view.statusCode,
    instance: view.url,
    reference: view.reference,
    method: view.method,
    route: view.route,
    token: view.token,
    errors: chainData(view.chain).errors,
    ...(view.chain.cut === null ? {} : { cut: view.chain.cut }),
    trace: outermost?.frames.map(frameText) ?? [],
    ...(view.work === undefined ? {} : { work: view.work.work }),
    suggestions: view.suggestions,
    hints: view.hints ?? [],
    origins: (view.origins ?? []).map(originData),
    candidates: view.candidates ?? [],
  }
  return JSON.stringify(document, null, 2)
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
