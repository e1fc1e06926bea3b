// Decides what leaves in place of the head of a framework's response, and carries it out: debug headers, toolbar, error page.

import { Reply } from '../base/http/reply.ts'
import { followReply } from '../capture/live-connection.ts'
import { PageEnd, mayBeDocument } from '../pages/toolbar/page-edges.ts'
import { isPage, serverTiming } from '../pages/toolbar/page-toolbar.ts'
import type { Recording } from '../http/recording/recording.ts'
import type { RecordedRequest } from './observed-request.ts'
import { printError } from './print-errors.ts'
import type { HeadFields, ResponseHead, DecidedHead } from './watched-response.ts'
import type { Profiling } from './start-profiling.ts'
import { preferredFormat, type ResponseFormat } from '../base/http/media-type.ts'
import { MethodNotAllowedHttpError, NotFoundHttpError } from '../base/http/http-error.ts'
import type { HttpRequest } from '../base/http/request.ts'
import { missError, withFrames } from '../http/kernel/route-step.ts'
import { withBuiltins } from '../base/timing/builtins.ts'
import { UrlMatcher } from '../routing/url-matcher.ts'

/** Fields that speak of the very bytes, which a toolbar changes. */
const ofBytes: ReadonlySet<string> = new Set(['content-length', 'etag', 'last-modified', 'accept-ranges'])

/** Fields of a framework's error response that its replacement does not have. */
const ofErrorBody: ReadonlySet<string> = new Set([
  ...ofBytes,
  ...'content-encoding content-language content-disposition content-location content-md5 content-range'.split(' '),
  ...'digest content-digest repr-digest transfer-encoding trailer content-security-policy-report-only'.split(' '),
])

export interface Client {
  /** Whether it may see what the profiler sees. Asked when the request begins; while the promise is pending it counts as no. */
  isAdmitted(): boolean
  /** Whether it is a browser that loads a page, outside tests. */
  readonly asksForPage: boolean
  /** The form that it names and prefers: `*` names none. */
  readonly names: ResponseFormat | null
}

/** Decides about the head of a recorded request's response. Puts the response on the exchange. */
export function decideHead(
  profiling: Profiling,
  observed: RecordedRequest,
  recording: Recording,
  client: Client,
  head: ResponseHead,
  beginning?: Buffer,
): DecidedHead {
  const { exchange } = observed
  const { request } = exchange
  const { options, observing, profilerPath } = profiling
  const reply = new Reply(head.status, head.fields.map(String), null)
  exchange.reply = reply
  if (observed.defaultTo === 'miss') exchange.failure = { thrown: missOf(request, head.status, profiling) }
  observed.responds(head.status)
  const hasFailed = exchange.failure !== undefined
  const decision = decideResponse({
    status: head.status,
    isHead: request.method === 'HEAD',
    isAdmitted: client.isAdmitted(),
    names: client.names,
    asksForPage: client.asksForPage,
    isJson: /^application\/(?:[\w.-]+\+)?json\b/i.test(reply.header('content-type') ?? ''),
    isPage: isPage(reply) && (beginning === undefined || mayBeDocument(beginning)),
    hasFailed,
    isDefault: observed.defaultTo !== undefined,
    errorPage: options.errorPage ?? 'framework',
  })
  const debug = [
    'x-debug-token',
    recording.token,
    'x-debug-token-link',
    `${profilerPath}/${recording.token}`,
    'server-timing',
    serverTiming(exchange, recording),
  ]
  const decided = (fields: HeadFields, left: readonly string[], body?: DecidedHead['body']): DecidedHead => {
    const all = [...withoutDebug(fields), ...debug]
    const reply = (exchange.reply = new Reply(head.status, all.map(String), null))
    const follower = request.method === 'HEAD' ? undefined : followReply(exchange, reply)
    return { status: head.status, message: head.message, fields: all, left, body, follower }
  }
  if (decision === 'page') {
    const page = keepError(observed, head.status, profiling, true)
    if (page !== null && typeof page.body === 'string') {
      const names = new Set(page.headers.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()))
      const { kept, left } = without(head.fields, (name) => names.has(name) || ofErrorBody.has(name))
      const vary = head.fields.findIndex((name, index) => index % 2 === 0 && String(name).toLowerCase() === 'vary')
      if (vary >= 0) page.setHeader('vary', joined(String(head.fields[vary + 1]), page.header('vary') ?? ''))
      return decided([...kept, ...page.headers], left, page.body)
    }
  } else if (hasFailed) keepError(observed, head.status, profiling)
  if (decision === 'toolbar') {
    const plan = observing.toolbar.plan(exchange, recording, reply)
    if (plan !== null) {
      const { kept, left } = without(plan.headers, (name) => ofBytes.has(name))
      const render = (): string => profiling.notes.guard('The toolbar', () => plan.render()) ?? ''
      return decided(kept, left, new PageEnd({ start: plan.start, render }))
    }
  }
  return decided(head.fields, [])
}

function without(
  fields: HeadFields,
  isLeft: (lowerCaseName: string) => boolean,
): { readonly kept: HeadFields; readonly left: readonly string[] } {
  const kept: HeadFields = []
  const left: string[] = []
  for (let index = 0; index < fields.length; index += 2) {
    const name = String(fields[index])
    if (isLeft(name.toLowerCase())) left.push(name.toLowerCase())
    else kept.push(name, fields[index + 1] ?? '')
  }
  return { kept, left }
}

/** What a recorded process behind this one has said of its profile leaves: each says it of its own. */
function withoutDebug(fields: HeadFields): HeadFields {
  const isDebug = (name: string): boolean => name === 'x-debug-token' || name === 'x-debug-token-link'
  if (!fields.some((name, index) => index % 2 === 0 && isDebug(String(name).toLowerCase()))) return fields
  const { kept } = without(fields, isDebug)
  return kept.flatMap((name, index) => {
    if (index % 2 !== 0) return []
    const value = kept[index + 1] ?? ''
    if (String(name).toLowerCase() !== 'server-timing') return [name, value]
    const others = String(value).replace(/(?:^|,\s*)total;dur=[\d.]+(?:,\s*controller;dur=[\d.]+)?/, '')
    return others === '' ? [] : [name, others]
  })
}

/** `Origin` and `Accept` give `Origin, Accept`. */
function joined(one: string, other: string): string {
  return one.split(',').some((word) => word.trim().toLowerCase() === other.toLowerCase()) ? one : `${one}, ${other}`
}

export interface ResponseFacts extends Omit<Client, 'isAdmitted'> {
  readonly status: number
  readonly isHead: boolean
  /** Whether the client may see what the profiler sees. */
  readonly isAdmitted: boolean
  readonly isJson: boolean
  /** Whether the response is a whole HTML page whose bytes may change: no fragment, as far as is known. */
  readonly isPage: boolean
  /** Whether an error is known. */
  readonly hasFailed: boolean
  /** Whether the framework responds, and not the application. */
  readonly isDefault: boolean
  readonly errorPage: 'framework' | 'browser' | false
}

/** `page`: the error page takes its place. */
export type ResponseDecision = 'as it is' | 'toolbar' | 'page'

export function decideResponse(facts: ResponseFacts): ResponseDecision {
  if (!facts.isAdmitted) return 'as it is'
  if (isReplaced(facts)) return 'page'
  // Who does not name HTML gets what the application sends in production: Express marks plain text as HTML, and tests compare it.
  const isNamed = facts.asksForPage && facts.names === 'html'
  // The page of a redirect is seen by nobody.
  const isSeen = !facts.isHead && (facts.status < 300 || facts.status >= 400)
  return facts.isPage && isNamed && isSeen ? 'toolbar' : 'as it is'
}

function isReplaced({ status, names, isJson, hasFailed, isDefault, errorPage }: ResponseFacts): boolean {
  if (errorPage === false || status < 400 || names === null || !hasFailed) return false
  // Clients know the members of a framework's own JSON.
  if (names === 'json' && isJson) return false
  return isDefault || (errorPage === 'browser' && status >= 500 && names === 'html')
}

/** How a client names each form. */
const formNames: Readonly<Record<ResponseFormat, RegExp>> = {
  html: /\b(?:text\/html|application\/xhtml\+xml)\b/i,
  json: /\bapplication\/(?:problem\+)?json\b/i,
  markdown: /\btext\/markdown\b/i,
  text: /\btext\/plain\b/i,
}

/** The form that a client names and prefers; `null` if it names none, as with `*` alone. */
export function namedForm(accept: string | undefined): ResponseFormat | null {
  // Reading what is preferred takes longer than all the rest of a decision.
  if (accept === undefined || !Object.values(formNames).some((name) => name.test(accept))) return null
  const form = preferredFormat(accept)
  return formNames[form].test(accept) ? form : null
}

/** The error of a path that the framework knows no route for: near routes and methods are explained by it. Without stack frames, which would be ours. */
export function missOf(request: HttpRequest, status: number, { routes }: Profiling): Error {
  routes.refresh()
  const found = new UrlMatcher(routes.tableOf(request)).find(request)
  return withFrames(0, () => {
    // A route for preflights takes OPTIONS on every path.
    const isWrongMethod = found.kind === 'method_not_allowed' && found.allow.some((method) => method !== 'OPTIONS')
    const { message } = missError(request, isWrongMethod ? found : { kind: 'not_found' })
    if (!isWrongMethod) return new NotFoundHttpError(message)
    const { allow } = found
    if (status === 405) return new MethodNotAllowedHttpError(allow, message)
    return new NotFoundHttpError(message, { headers: { Allow: allow.join(', ') } })
  })
}

/** The path of the route that takes the request with another method, as it is written; `undefined` if there is none. */
export function pathOfRoute(request: HttpRequest, { routes }: Profiling): string | undefined {
  routes.refresh()
  const matcher = new UrlMatcher(routes.tableOf(request))
  const found = matcher.find(request)
  if (found.kind !== 'method_not_allowed') return undefined
  const method = found.allow.find((allowed) => allowed !== 'OPTIONS')
  const other = matcher.find(Object.create(request, { method: { value: method } }) as HttpRequest)
  return other.kind === 'match' ? other.route.writtenAs : undefined
}

/**
 * Keeps the error of a request for its profile, and writes its line. Gives the response where it `isShown`; `null` for all others, and if it
 * cannot be drawn.
 */
export function keepError(
  observed: RecordedRequest,
  status: number,
  profiling: Profiling,
  isShown: boolean = false,
): Reply | null {
  const kept = profiling.notes.guard('An error', () => {
    const { handler, frames, renderer } = profiling.errors()
    const tools = { frames, renderer: isShown ? renderer : null }
    const reply = withBuiltins(() => handler.respondNow(observed.exchange, status, tools))
    printError(observed, profiling)
    return reply
  })
  return kept ?? null
}
