// The error answers outside debug: the handler's page, and the static one below it.

import { statusText } from '../framework/http/status-text.ts'
import { Reply } from '../framework/http/reply.ts'
import type { ErrorResponder } from '../framework/kernel/error-reply.ts'
import type { Exchange } from '../framework/kernel/exchange.ts'
import { renderPublicErrorPage, type PublicErrorFacts } from '../errors/page/public-error-page.ts'
import { quietPagePolicy } from '../errors/page/quiet-page.ts'

/** The page outside debug. */
export function renderPublicPage(facts: PublicErrorFacts): string {
  return String(renderPublicErrorPage(facts))
}

/** Second level of the error answer: a small page without any fact of the request, for when the first level throws. */
export class StaticErrorPage implements ErrorResponder {
  readonly name = 'static error page'

  respond(_exchange: Exchange, statusCode: number): Reply {
    const page = renderPublicErrorPage({ statusCode, statusText: statusText(statusCode), reference: '' })
    const headers = [
      'content-type',
      'text/html; charset=utf-8',
      'cache-control',
      'no-store',
      'x-content-type-options',
      'nosniff',
      'content-security-policy',
      quietPagePolicy,
    ]
    return new Reply(statusCode, headers, String(page))
  }
}
