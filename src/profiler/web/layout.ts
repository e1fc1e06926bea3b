// The frame of every profiler page: a band whose colour is the verdict, the menu of panels, and the content.

import type { Tone } from '../../framework/html/components.ts'
import { renderDocument } from '../../framework/html/document.ts'
import { html, type SafeHtml } from '../../framework/html/html.ts'
import { themeScript, themeStyles } from '../../framework/html/theme.ts'
import { layoutStyles } from './layout-styles.ts'

/** A link in the band. */
export interface FrameLink {
  readonly label: string
  readonly href: string
  /** Whether it leads to the page that it stands on. Default: no. */
  readonly isCurrent?: boolean
}

/** What every page of the profiler is framed by. */
export interface Frame {
  readonly title: string
  readonly nonce: string
  /** `/_profiler` */
  readonly profilerPath: string
  /** The other pages of the profiler, beside the search box. */
  readonly links: readonly FrameLink[]
  readonly tone: Tone
  /** What stands in the band under the search box. */
  readonly headline: SafeHtml
  /** The menu; `null` where there is none. */
  readonly menu: SafeHtml | null
  readonly content: SafeHtml
  /** Styles of the content. */
  readonly styles?: readonly SafeHtml[]
  /** Scripts of the content; the page is complete without them. */
  readonly scripts?: readonly SafeHtml[]
  /** What the search box holds already. */
  readonly search?: string
}

/** A whole page. */
export function renderFrame(frame: Frame): SafeHtml {
  const { profilerPath } = frame
  return renderDocument({
    title: frame.title,
    nonce: frame.nonce,
    styles: [themeStyles, ...(frame.styles ?? []), layoutStyles],
    headScript: themeScript,
    script: frame.scripts ?? [],
    bodyClass: 'profiler',
    body: html`<a class="skip-link" href="#content">To the content</a>
      <header class="band tone-${frame.tone}">
        <div class="page">
          <div class="row topbar">
            <a class="brand" href="${profilerPath}/">Fanlight profiler</a>
            <nav class="row pages screen-only" aria-label="Profiler">${frame.links.map(frameLink)}</nav>
            <form class="row search screen-only" action="${profilerPath}/" role="search">
              <label class="visually-hidden" for="search">Search profiles by part of the URL, or a token</label>
              <input
                class="field"
                id="search"
                name="url"
                type="search"
                placeholder="Part of a URL, or a token"
                value="${frame.search ?? ''}"
              />
              <button class="button">Search</button>
              <button class="button theme-switch" type="button" data-theme-switch hidden>Dark</button>
            </form>
          </div>
          ${frame.headline}
        </div>
      </header>
      <div class="page ${frame.menu === null ? '' : 'with-menu'}">
        ${frame.menu}
        <main id="content" tabindex="-1">${frame.content}</main>
      </div>`,
  })
}

function frameLink({ label, href, isCurrent }: FrameLink): SafeHtml {
  return html`<a aria-current="${isCurrent === true ? 'page' : 'false'}" href="${href}">${label}</a> `
}
