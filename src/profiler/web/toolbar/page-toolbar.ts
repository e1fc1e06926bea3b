// What the toolbar does to a response, without the sending: it follows redirects, tells the time, and says whether a page gets
// the bar and with which header fields.

import { createNonce } from '../../../framework/html/document.ts'
import { parseMediaType } from '../../../framework/http/media-type.ts'
import type { Reply } from '../../../framework/http/reply.ts'
import type { HttpRequest } from '../../../framework/http/request.ts'
import type { Exchange } from '../../../framework/kernel/exchange.ts'
import { graphqlTitle } from '../../capture/sources/graphql.ts'
import { redirectsName, type RedirectStep } from '../../request-record.ts'
import type { Recording } from '../../../framework/recording/recording.ts'
import { admitNonce, hasPolicy } from './admit-nonce.ts'
import type { PageParts } from './page-end.ts'
import { reportingScript } from './page-start.ts'
import { RedirectTrail } from './redirect-trail.ts'
import { renderToolbar, toolbarFacts, type ToolbarItemReader } from './toolbar.ts'

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
  readonly #redirects = new RedirectTrail()

  constructor(options: PageToolbarOptions) {
    this.#options = options
  }

  /** Whether a browser loads a page: it says so itself, or it is none that knows how and has the name of one. */
  isWantedBy(request: HttpRequest): boolean {
    if (this.#options.isTest || request.header('x-requested-with') !== undefined) return false
    const destination = request.header('sec-fetch-dest')
    if (destination !== undefined) return destination === 'document'
    return request.header('user-agent')?.startsWith('Mozilla/') === true
  }

  /** Follows redirects to and from a request; gives those that led to it. */
  follow({ request }: Exchange, recording: Recording, reply: Reply): readonly RedirectStep[] {
    const redirects = this.#redirects.follow(request)
    if (redirects.length > 0) recording.keep(redirectsName, redirects)
    this.#redirects.note(request, reply, recording.token, redirects)
    return redirects
  }

  /** `null` if the page has a policy that cannot be changed: a sandbox. */
  plan(
    exchange: Exchange,
    recording: Recording,
    reply: ResponseHead,
    redirects: readonly RedirectStep[],
  ): ToolbarPlan | null {
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
      return renderToolbar(toolbarFacts(exchange, recording, { status, redirects, items: found }), {
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
const charsets: ReadonlySet<string> = new Set([
  'utf-8',
  'utf8',
  'us-ascii',
  'ascii',
  'iso-8859-1',
  'latin1',
  'windows-1252',
])

/** Fields that say something of the very bytes: an encoding, a part, a sum. */
const bodyFields = ['content-encoding', 'content-range', 'content-digest', 'repr-digest', 'digest', 'content-md5']

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
