// What clients see of an error outside debug: a status, its reason phrase and a reference, in four formats.

import { randomUUID } from 'node:crypto'
import { createNonce } from '../framework/html/document.ts'
import type { AnswerFormat } from '../framework/http/accept.ts'
import { protectiveHeaders } from '../framework/http/protective-headers.ts'
import { Reply } from '../framework/http/reply.ts'
import { statusText } from '../framework/http/status-text.ts'
import type { ErrorResponder } from '../framework/kernel/error-reply.ts'
import type { Exchange } from '../framework/kernel/exchange.ts'
import { renderPublicErrorPage, type PublicErrorFacts, quietPagePolicy } from './page/quiet-page.ts'

/** Markup, as a string or as something that becomes one. */
export type Markup = string | { toString(): string }

/** Draws the application's own error page. It must return markup at once, not a promise. */
export type OwnErrorPage = (facts: PublicErrorFacts, nonce: string) => Markup

/** The body of an error response. */
export interface ErrorBody {
  readonly type: string
  readonly content: string
  /** `Content-Security-Policy` of a page. */
  readonly policy?: string
}

/** `Content-Type` of an error response. */
export const errorTypes: Readonly<Record<AnswerFormat, string>> = {
  html: 'text/html; charset=utf-8',
  json: 'application/problem+json',
  markdown: 'text/markdown; charset=utf-8',
  text: 'text/plain; charset=utf-8',
}

/** The built-in public body. */
export function publicBody(format: AnswerFormat, facts: PublicErrorFacts): ErrorBody {
  const type = errorTypes[format]
  const { statusCode, statusText: title, reference } = facts
  switch (format) {
    case 'json':
      return { type, content: JSON.stringify({ type: 'about:blank', title, status: statusCode, reference }) }
    case 'markdown':
      return { type, content: `# Error ${statusCode} ${title}\n\nReference: \`${reference}\`\n` }
    case 'text':
      return { type, content: `Error ${statusCode} ${title}\nReference: ${reference}\n` }
    case 'html':
      return { type, content: String(renderPublicErrorPage(facts)), policy: quietPagePolicy }
  }
}

/** The application's own page as a body. Throws what the page throws, and a TypeError when it returns no markup. */
export function ownPageBody(page: OwnErrorPage, facts: PublicErrorFacts): ErrorBody {
  const nonce = createNonce()
  const content = markupText(page(facts, nonce))
  // Files of its own host, styles and scripts with the nonce; no other host, no frame around it.
  const policy =
    `default-src 'self'; script-src 'self' 'nonce-${nonce}'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
  return { type: errorTypes.html, content, policy }
}

function markupText(page: Markup): string {
  const text = page instanceof Promise ? undefined : page.toString()
  if (typeof text === 'string' && text !== '' && !text.startsWith('[object ')) return text
  throw new TypeError('The error page must return markup, at once: a string or html`…`')
}

/** Twelve characters, `[0-9a-z]{12}`, from 62 random bits: they join an error response and its log line. */
export function createReference(): string {
  const bits = randomUUID()
  return base36(bits.slice(0, 8)) + base36(bits.slice(-8))
}

function base36(hex: string): string {
  return (Number.parseInt(hex, 16) % 36 ** 6).toString(36).padStart(6, '0')
}

/** A small page without any fact of the request, for when the error handler itself fails. */
export class StaticErrorPage implements ErrorResponder {
  readonly name = 'static error page'

  respond(_exchange: Exchange, statusCode: number): Reply {
    const facts = { statusCode, statusText: statusText(statusCode), reference: '' }
    const headers = ['content-type', errorTypes.html, ...protectiveHeaders, 'content-security-policy', quietPagePolicy]
    return new Reply(statusCode, headers, String(renderPublicErrorPage(facts)))
  }
}
