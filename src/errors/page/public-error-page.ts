// The error page outside debug: status, reason phrase, one sentence, a reference for the operator. Nothing else may be on
// it: no message, no URL, no trace, no header, no route (SPEC 4.4). It carries no script.

import { html } from '../../framework/html/html.ts'
import type { SafeHtml } from '../../framework/html/html.ts'
import { renderQuietPage } from './quiet-page.ts'

/** All that may be known outside debug. */
export interface PublicErrorFacts {
  readonly statusCode: number
  /** Reason phrase: `Not Found`. */
  readonly statusText: string
  /** What an operator searches for in the log; empty where there is none. */
  readonly reference: string
}

/** The page, titled `Error 404 Not Found`. Its policy is `quietPagePolicy`. */
export function renderPublicErrorPage(facts: PublicErrorFacts): SafeHtml {
  const title = `Error ${facts.statusCode} ${facts.statusText}`
  return renderQuietPage(
    title,
    html`<h1>${title}</h1>
      <p>${sentence(facts.statusCode)}</p>
      ${facts.reference === '' ? null : html`<p class="reference">Reference: <code>${facts.reference}</code></p>`}`,
  )
}

function sentence(statusCode: number): string {
  if (statusCode >= 500) return 'Something went wrong on our side. Please try again in a moment.'
  switch (statusCode) {
    case 401:
      return 'Please sign in to see this page.'
    case 403:
      return 'You are not allowed to see this page.'
    case 404:
    case 410:
      return 'There is no page at this address.'
    case 405:
      return 'This page cannot be used in this way.'
    case 429:
      return 'Too many requests. Please wait a moment and try again.'
    default:
      return 'The request could not be answered.'
  }
}
