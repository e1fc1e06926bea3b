// What the toolbar does to a response, without the sending: it tells the time, and says whether a page gets the bar and with
// which header fields.

import { createNonce } from '../../base/html/document.ts'
import { bodyFields, parseMediaType } from '../../base/http/media-type.ts'
import type { Reply } from '../../base/http/reply.ts'
import type { HttpRequest } from '../../base/http/request.ts'
import type { Exchange } from '../../http/kernel/exchange.ts'
import type { Recording } from '../../http/recording/recording.ts'
import { graphqlTitle } from '../../observe/recorded-route.ts'
import { type PageParts, reportingScript } from './page-edges.ts'
import { type ToolbarItemReader, renderToolbar, toolbarFacts } from './toolbar.ts'

export interface PageToolbarOptions {
  readonly profilerPath: string
  readonly items?: readonly ToolbarItemReader[]
  /** Whether the application is under test: tests compare its pages. */
  readonly isTest: boolean
  /** Whether pages reload themselves when the application was started again. Default: no. */
  readonly reloads?: boolean
}

/** Status and header fields of a response; its body is not looked at. */
export type ResponseHead = Pick<Reply, 'status' | 'headers' | 'header'>

/** A page that gets a toolbar. The toolbar is empty where drawing it fails. */
export interface ToolbarPlan extends PageParts {
  /** Those of the page, flat, with a policy that lets the toolbar run and report. */
  readonly headers: string[]
}

/** One for each application in debug. */
export class PageToolbar {
  readonly #options: PageToolbarOptions

  constructor(options: PageToolbarOptions) {
    this.#options = options
  }

  /** Whether a browser loads a page: it says so itself, or it is none that knows how and has the name of one. */
  isWantedBy(request: HttpRequest): boolean {
    if (this.#options.isTest || request.header('x-requested-with') !== undefined) return false
    if (!['GET', 'HEAD', 'POST'].includes(request.method)) return false
    const destination = request.header('sec-fetch-dest')
    if (destination !== undefined) return destination === 'document'
    return request.header('user-agent')?.startsWith('Mozilla/') === true
  }

  /** `null` if the page has a policy that cannot be changed: a sandbox. */
  plan(exchange: Exchange, recording: Recording, reply: ResponseHead): ToolbarPlan | null {
    const { profilerPath, items = [], reloads = false } = this.#options
    const { status, headers } = reply
    const nonce = createNonce()
    const address = `${profilerPath}/${recording.token}/browser`
    const { authority } = exchange.request
    // Policies cannot name the address of a page on an IPv6 host.
    const source = /^[a-z0-9.-]+(?::\d+)?$/i.test(authority) ? `${authority}${address}` : null
    const admitted = admitNonce(headers, nonce, source)
    if (admitted === null) return null
    const render = (): string => {
      const found = items.flatMap((read) => read(exchange) ?? [])
      return renderToolbar(toolbarFacts(exchange, recording, { status, items: found }), {
        profilerPath,
        // Other methods would be sent again.
        reloads: reloads && exchange.request.method === 'GET',
        nonce,
      })
    }
    const start =
      source === null && hasPolicy(headers) ? '' : reportingScript(address, nonce, reply.header('content-type'))
    return { headers: admitted, start, render: guarded(render) }
  }
}

/** Charsets in which a byte below 128 is always ASCII. */
const charsets: ReadonlySet<string> = new Set('utf-8 utf8 us-ascii ascii iso-8859-1 latin1 windows-1252'.split(' '))

/** What the type of every page begins with: most responses are not examined any further. */
const startsLikeHtml = /^\s*text\/html/i

/** Whether the response is a whole HTML page for a person, whose bytes may change. */
export function isPage(reply: ResponseHead): boolean {
  const type = reply.header('content-type')
  if (type === undefined || !startsLikeHtml.test(type)) return false
  const { essence, charset } = parseMediaType(type)
  if (essence !== 'text/html' || !charsets.has(charset)) return false
  if (reply.header('content-disposition')?.trim().toLowerCase().startsWith('attachment') === true) return false
  return !bodyFields.some((name) => reply.header(name) !== undefined)
}

function guarded(render: () => string): () => string {
  return () => {
    try {
      return render()
    } catch {
      return ''
    }
  }
}

/** `total;dur=12.3, controller;dur=5.1`: constant names, numbers only (SECURITY R15). */
export function serverTiming(exchange: Exchange, recording: Recording): string {
  const controllerMs = recording.stopwatch.durationOf('controller')
  const title = graphqlTitle(exchange)
  return [
    metric('total', recording.durationMs),
    ...(controllerMs === null ? [] : [metric('controller', controllerMs)]),
    ...(title === undefined ? [] : [`graphql;desc="${title}"`]),
  ].join(', ')
}

function metric(name: string, durationMs: number): string {
  return `${name};dur=${durationMs.toFixed(2)}`
}

const policyFields: ReadonlySet<string> = new Set(['content-security-policy', 'content-security-policy-report-only'])

/** What a style and a script element, and a report, are decided by, in the order the directives are asked (CSP 3, section 6.8). */
const kinds = [
  { kind: 'script', names: ['script-src-elem', 'script-src', 'default-src'] },
  { kind: 'style', names: ['style-src-elem', 'style-src', 'default-src'] },
  { kind: 'connect', names: ['connect-src', 'default-src'] },
] as const

type Kind = (typeof kinds)[number]['kind']

/** Whether any of the flat header fields is a policy. */
function hasPolicy(headers: readonly string[]): boolean {
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
