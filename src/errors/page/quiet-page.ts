// The small pages without request data: errors outside debug and maintenance. No script, no message, no trace (SPEC 4.4).

import { html, trusted, type SafeHtml, styleSheet } from '../../base/html/html.ts'
import type { ErrorSummary } from '../../http/kernel/handler-options.ts'

const styles = styleSheet(`
:root { color-scheme: light dark }
body {
  margin: 0; min-height: 100vh; min-height: 100dvh; display: grid; place-content: center; padding: 1.5rem; box-sizing: border-box;
  background: light-dark(#f5f6f8, #11141a); color: light-dark(#171c26, #e5e9f0);
  font: 1.0625rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere;
}
main { max-width: 34rem }
h1 { margin: 0 0 .6rem; font-size: clamp(1.4rem, 1.1rem + 1.6vw, 2rem); line-height: 1.25; font-weight: 600; text-wrap: balance }
p { margin: 0 }
.reference { margin-top: 1.5rem; font-size: .875rem; color: light-dark(#566072, #9ca7b8) }
code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
`)

/** SHA-256 of the styles, checked by a test. A constant, because `node:crypto` would cost each start 2 MB and 4 ms. */
const stylesHash = 'SjIly09sB9Y1R/7Vs/GA/3byJVOBIm5ZOhfLF5jgk1g='

const styleElement = trusted(`<style>${styles.toString()}</style>`)

/** `Content-Security-Policy` of every quiet page. */
export const quietPagePolicy: string =
  `default-src 'none'; style-src 'sha256-${stylesHash}'; ` +
  `img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** A small page; `content` goes into `<main>`. */
export function renderQuietPage(title: string, content: SafeHtml): SafeHtml {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="icon" href="data:," />
        ${styleElement}
      </head>
      <body>
        <main>${content}</main>
      </body>
    </html> `
}

/** What an error page outside debug may say. */
export type PublicErrorFacts = Omit<ErrorSummary, 'problem'>

/** `problems`: what is wrong with the request. Its policy is `quietPagePolicy`. */
export function renderPublicErrorPage(facts: PublicErrorFacts, problems: readonly string[] = []): SafeHtml {
  const title = `Error ${facts.statusCode} ${facts.statusText}`
  return renderQuietPage(
    title,
    html`<h1>${title}</h1>
      <p>${sentence(facts.statusCode)}</p>
      ${
        problems.length === 0
          ? null
          : html`<ul>
              ${problems.map((problem) => html`<li>${problem}</li>`)}
            </ul>`
      }
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
    case 422:
      return 'Some of what was sent is not valid.'
    case 429:
      return 'Too many requests. Please wait a moment and try again.'
    default:
      return 'The request could not be handled.'
  }
}

/** Its policy is `quietPagePolicy`. */
export const builtInMaintenancePage: string = renderQuietPage(
  'Maintenance',
  html`<h1>We will be back soon</h1>
    <p>This service is being maintained right now. Please try again in a few minutes.</p>`,
).toString()
