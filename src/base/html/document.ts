// The frame around every page: head, styles, scripts, and the policy under which a browser runs it. Pages are
// self-contained: styles and scripts are in the page and carry its nonce.

import { randomUUID } from 'node:crypto'
import { favicons } from './arc.ts'
import type { Tone } from './components.ts'
import { html, trusted, type SafeHtml, escapeAttribute } from './html.ts'

interface DocumentParts {
  readonly title: string
  /** Colour of the icon in the tab. */
  readonly tone: Tone
  readonly body: SafeHtml
  /** Style sheets in order, usually `themeStyles` first. Constants of the library, never request data. */
  readonly styles: SafeHtml | readonly SafeHtml[]
  /** Runs before the first paint: `themeScript`. Must not expect the body to be there. */
  readonly headScript?: SafeHtml
  /** Runs when the body is there. */
  readonly script?: SafeHtml | readonly SafeHtml[]
  /** From `createNonce()`; the response's policy must name the same. */
  readonly nonce: string
  readonly bodyClass?: string
}

export function renderDocument(parts: DocumentParts): SafeHtml {
  const styles = trusted(`<style nonce="${escapeAttribute(parts.nonce)}">${join(parts.styles)}</style>`)
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${parts.title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="icon" href="${favicons[parts.tone]}" />
        ${styles}${scriptElement(parts.headScript, parts.nonce)}
      </head>
      <body class="${parts.bodyClass ?? ''}">
        ${parts.body} ${scriptElement(parts.script, parts.nonce)}
      </body>
    </html> `
}

/** A nonce for one response: 122 random bits. Never use it twice. */
export function createNonce(): string {
  return randomUUID()
}

/**
 * The `Content-Security-Policy` under which a page with this nonce runs: nothing but its own styles and scripts, and frames of the same
 * origin if it has some.
 */
export function contentSecurityPolicy(nonce: string, hasFrames = false): string {
  return (
    `default-src 'none'; ${hasFrames ? "frame-src 'self'; " : ''}style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; img-src data:; connect-src 'self'; ` +
    `base-uri 'none'; form-action 'self'; frame-ancestors 'none'`
  )
}

function scriptElement(script: DocumentParts['script'], nonce: string): SafeHtml | null {
  return script === undefined ? null : trusted(`<script nonce="${escapeAttribute(nonce)}">${join(script)}</script>\n`)
}

function join(parts: SafeHtml | readonly SafeHtml[]): string {
  return 'length' in parts ? parts.join('\n') : parts.toString()
}
