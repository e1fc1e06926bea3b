// Every response of the profiler: its headers, the constant refusal, and pages under their policy.

import type { Readable } from 'node:stream'
import { contentSecurityPolicy } from '../base/html/document.ts'
import { html, type SafeHtml } from '../base/html/html.ts'
import { ownWindowHeaders, protectiveHeaders } from '../base/http/header-fields.ts'
import { Reply } from '../base/http/reply.ts'
import { quietPagePolicy, renderQuietPage } from '../errors/page/quiet-page.ts'

/** Header fields of every response of the profiler: never cached, never embedded, never told to other sites (SECURITY R4, R14). */
const constantHeaders: readonly string[] = [
  ...protectiveHeaders,
  ...ownWindowHeaders,
  'cross-origin-resource-policy',
  'same-origin',
  'referrer-policy',
  'no-referrer',
  'x-frame-options',
  'DENY',
]

export function profilerPage(status: number, markup: SafeHtml, nonce: string, hasFrames = false): Reply {
  const policy = contentSecurityPolicy(nonce, hasFrames)
  const headers = ['content-type', 'text/html; charset=utf-8', 'content-security-policy', policy]
  return new Reply(status, [...headers, 'vary', 'Accept', ...constantHeaders], String(markup))
}

export function profilerJson(status: number, value: unknown): Reply {
  const headers = ['content-type', 'application/json; charset=utf-8', 'content-security-policy', quietPagePolicy]
  return new Reply(status, [...headers, 'vary', 'Accept', ...constantHeaders], JSON.stringify(value))
}

export function profilerMarkdown(status: number, content: string): Reply {
  const headers = ['content-type', 'text/markdown; charset=utf-8', 'content-security-policy', quietPagePolicy]
  return new Reply(status, [...headers, 'vary', 'Accept', ...constantHeaders], content)
}

/**
 * Markup that somebody else wrote, for a frame of ours. It runs no script, sends no form and asks for nothing: all it may show is in the
 * markup. `sandbox` ensures the same in a separate window.
 */
export function profilerForeignMarkup(markup: string): Reply {
  const policy =
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
  const reply = new Reply(200, [...constantHeaders, 'content-type', 'text/html; charset=utf-8'], markup)
  reply.setHeader('content-security-policy', policy)
  reply.setHeader('x-frame-options', 'SAMEORIGIN')
  reply.setHeader('x-dns-prefetch-control', 'off')
  return reply
}

/** Nothing to show: what was sent is taken. */
export function profilerTaken(): Reply {
  return new Reply(204, [...constantHeaders], null)
}

/** A file to be saved, never shown in place: `fileName` is made of a checked token. */
export function profilerDownload(content: string, contentType: string, fileName: string): Reply {
  const headers = ['content-type', contentType, 'content-disposition', `attachment; filename="${fileName}"`]
  return new Reply(200, [...headers, 'content-security-policy', quietPagePolicy, ...constantHeaders], content)
}

/** An event stream (HTML, section 9.2). Nothing on the way may gather it. */
export function profilerEvents(events: Readable): Reply {
  const headers = ['content-type', 'text/event-stream', 'x-accel-buffering', 'no']
  return new Reply(200, [...headers, 'content-security-policy', quietPagePolicy, ...constantHeaders], events)
}

/** What another library made of a request for the profiler. */
export function profilerForwarded(response: Response): Reply {
  const reply = new Reply(
    response.status,
    [...constantHeaders, 'content-security-policy', quietPagePolicy],
    response.body,
  )
  for (const [name, value] of response.headers) if (reply.header(name) === undefined) reply.setHeader(name, value)
  return reply
}

/** Sends the browser to another page of the profiler. `location` is made of our own path and a checked token. */
export function profilerRedirect(location: string, headers: readonly string[] = []): Reply {
  return new Reply(302, ['location', location, ...headers, ...constantHeaders], null)
}

/** The refusal: the same bytes for everybody. A browser that comes from another site sends its new cookie once it follows one of our links. */
export function profilerRefusal(hasKey: boolean, hostSetting: string): Reply {
  const headers = ['content-type', 'text/html; charset=utf-8', 'content-security-policy', quietPagePolicy]
  const way = hasKey
    ? html`Open the address with the key that was printed when the application started, or <a href="">try again</a>.`
    : 'This page is for the machine it runs on.'
  const page = renderQuietPage(
    'Error 403 Forbidden',
    html`<h1>Error 403 Forbidden</h1>
      <p>${way}</p>
      <p>To open it by a name of your own, add the name to ${hostSetting}.</p>`,
  )
  return new Reply(403, [...headers, ...constantHeaders], String(page))
}
