// What clients see of an error outside debug: a status, its reason phrase and a reference, in four formats.

import { createNonce } from '../base/html/document.ts'
import type { ResponseFormat } from '../base/http/media-type.ts'
import { Reply } from '../base/http/reply.ts'
import { statusText } from '../base/http/node-http.ts'
import type { ProblemMembers } from '../base/http/http-error.ts'
import type { ErrorResponder } from '../http/kernel/error-reply.ts'
import type { ProblemDocument } from '../http/kernel/handler-options.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import { errorHeaders, negotiatedHeaders, plainRecord, problemOf } from './problem.ts'
import { renderPublicErrorPage, type PublicErrorFacts, quietPagePolicy } from './page/quiet-page.ts'

/** Markup as a string, or an object that becomes one. */
type Markup = string | { toString(): string }

/** The application's own error page. Must return markup, not a promise. */
export type OwnErrorPage = (facts: PublicErrorFacts, nonce: string) => Markup

export interface ErrorBody {
  readonly type: string
  readonly content: string
  /** `Content-Security-Policy` of a page. */
  readonly policy?: string
}

export const errorTypes: Readonly<Record<ResponseFormat, string>> = {
  html: 'text/html; charset=utf-8',
  json: 'application/problem+json',
  markdown: 'text/markdown; charset=utf-8',
  text: 'text/plain; charset=utf-8',
}

/** A response but for its reference. */
interface Drawn {
  /** Header fields where `Accept` decides about the form, and where it does not. */
  readonly negotiated: readonly string[]
  readonly named: readonly string[]
  readonly before: string
  readonly after: string
}

/** Draws the response of each status and format once; what an error adds is drawn each time. */
export class PublicReplies {
  readonly #drawn = new Map<number, Partial<Record<ResponseFormat, Drawn>>>()

  /** `members`: what the error adds to its problem document; `fields`: header fields that it adds. */
  of(
    format: ResponseFormat,
    isNegotiated: boolean,
    facts: PublicErrorFacts,
    members: ProblemMembers | null,
    fields: readonly string[],
  ): Reply {
    const { statusCode, reference } = facts
    if (members !== null) return makeReply(statusCode, draw(format, facts, members), isNegotiated, fields)
    let ofStatus = this.#drawn.get(statusCode)
    if (ofStatus === undefined) this.#drawn.set(statusCode, (ofStatus = {}))
    const { negotiated, named, before, after } = (ofStatus[format] ??= drawnOnce(format, facts))
    // An id has no character that one of the formats would escape.
    return new Reply(statusCode, [...(isNegotiated ? negotiated : named), ...fields], before + reference + after)
  }
}

/** Stands where the reference will be: a character of one byte, because a string with any other has two bytes a character. */
const place = '\u007f'

function drawnOnce(format: ResponseFormat, facts: PublicErrorFacts): Drawn {
  const body = draw(format, { ...facts, reference: place }, null)
  const [before = '', after = ''] = body.content.split(place)
  return { negotiated: fieldsOf(body, true), named: fieldsOf(body, false), before, after }
}

/** The response with a body; `more` are header fields that follow its own. */
export function makeReply(statusCode: number, body: ErrorBody, isNegotiated: boolean, more: readonly string[]): Reply {
  return new Reply(statusCode, [...fieldsOf(body, isNegotiated), ...more], body.content)
}

function fieldsOf({ type, policy }: ErrorBody, isNegotiated: boolean): string[] {
  const fields = ['content-type', type, ...(isNegotiated ? negotiatedHeaders : errorHeaders)]
  return policy === undefined ? fields : [...fields, 'content-security-policy', policy]
}

function draw(format: ResponseFormat, facts: PublicErrorFacts, members: ProblemMembers | null): ErrorBody {
  const type = errorTypes[format]
  const problem = problemOf(facts, members)
  const { statusCode, statusText: title, reference } = facts
  switch (format) {
    case 'json':
      return { type, content: JSON.stringify(problem) }
    case 'markdown': {
      const list = problemLines(problem).map((line) => `- ${line}\n`)
      return { type, content: `# Error ${statusCode} ${title}\n\n${withEnd(list)}Reference: \`${reference}\`\n` }
    }
    case 'text': {
      const list = problemLines(problem).map((line) => `${line}\n`)
      return { type, content: `Error ${statusCode} ${title}\n${list.join('')}Reference: ${reference}\n` }
    }
    case 'html': {
      const content = String(renderPublicErrorPage(facts, problemLines(problem)))
      return { type, content, policy: quietPagePolicy }
    }
  }
}

/** What a request got wrong, as the problem document lists it: `title: A title is needed`. */
function problemLines({ errors }: ProblemDocument): readonly string[] {
  if (!Array.isArray(errors)) return []
  return errors.map((error: unknown) => {
    const { path, message } = plainRecord(error)
    return typeof path === 'string' && path !== '' ? `${path}: ${String(message)}` : String(message)
  })
}

function withEnd(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${lines.join('')}\n`
}

/** Throws what the page throws, and a TypeError if it returns no markup. */
export function ownPageBody(page: OwnErrorPage, facts: PublicErrorFacts): ErrorBody {
  const nonce = createNonce()
  const content = markupText(page(facts, nonce))
  // Allows files of the same host, and styles and scripts with the nonce; no other hosts, no frames.
  const policy =
    `default-src 'self'; script-src 'self' 'nonce-${nonce}'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
  return { type: errorTypes.html, content, policy }
}

function markupText(page: Markup): string {
  const text = page instanceof Promise ? undefined : page.toString()
  if (typeof text === 'string' && text !== '' && !text.startsWith('[object ')) return text
  throw new TypeError('The error page must return markup, not a promise: a string or html`…`')
}

/** A small page without request data, for when the error handler fails. */
export class StaticErrorPage implements ErrorResponder {
  readonly name = 'static error page'

  respond(_exchange: Exchange, statusCode: number): Reply {
    const facts = { statusCode, statusText: statusText(statusCode), reference: '' }
    return makeReply(statusCode, draw('html', facts, null), false, [])
  }
}
