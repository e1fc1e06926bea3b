// The frame of every profiler page: a band whose colour is the verdict, the menu of panels, and the content.

import { badge, formatDuration, formatTime, statusTone, type Tone } from '../html/components.ts'
import { renderDocument } from '../html/document.ts'
import { html, type SafeHtml } from '../html/html.ts'
import { themeScript, themeStyles } from '../html/theme.ts'
import type { Profile } from '../profiler/profile.ts'
import { layoutStyles } from './layout-styles.ts'
import type { Panel } from './panel.ts'

/** What every page of the profiler is framed by. */
export interface Frame {
  readonly title: string
  readonly nonce: string
  /** `/_profiler` */
  readonly profilerPath: string
  readonly tone: Tone
  /** What stands in the band under the search box. */
  readonly headline: SafeHtml
  /** The menu; `null` where there is none. */
  readonly menu: SafeHtml | null
  readonly content: SafeHtml
  /** Styles of the content. */
  readonly styles?: readonly SafeHtml[]
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
    bodyClass: 'profiler',
    body: html`<a class="skip-link" href="#content">To the content</a>
      <header class="band tone-${frame.tone}">
        <div class="page">
          <div class="row spread topbar">
            <a class="brand" href="${profilerPath}/">Fanlight profiler</a>
            <form class="row search screen-only" action="${profilerPath}/" role="search">
              <label class="visually-hidden" for="search">Search profiles by part of the URL</label>
              <input
                class="field"
                id="search"
                name="url"
                type="search"
                placeholder="Part of a URL"
                value="${frame.search ?? ''}"
              />
              <button class="button">Search</button>
              <a class="button" href="${profilerPath}/latest">Latest</a>
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

/** The band of one profile: what was asked, what came of it, and what belongs to it. */
export function profileHeadline(profile: Profile, linkTo: (token: string, panel?: string) => string): SafeHtml {
  const { parentToken, childTokens } = profile
  const verdict = profile.status === 0 ? 'No answer was sent' : `${profile.status}`
  return html`<h1 class="mono request-line">${profile.method} ${profile.url}</h1>
    <ul class="row headline-facts">
      <li>Status <b>${verdict}</b></li>
      <li>Duration <b>${formatDuration(profile.durationMs)}</b></li>
      <li>IP <b>${profile.ip}</b></li>
      <li>
        Profiled on <b><time datetime="${instant(profile.time)}">${formatTime(profile.time)}</time></b> UTC
      </li>
      <li>Token <b class="mono">${profile.token}</b></li>
      ${profile.errorClass === null ? null : html`<li>Thrown <b class="mono">${profile.errorClass}</b></li>`}
      ${parentToken === null ? null : html`<li>Sub-request of <a class="mono" href="${linkTo(parentToken)}">${parentToken}</a></li>`}
      ${childTokens.map((token) => html`<li>Forwarded to error handler (<a class="mono" href="${linkTo(token)}">${token}</a>)</li> `)}
    </ul>`
}

/** The menu of panels, with the counts that matter; panels without data are said to be empty, not hidden. */
export function panelMenu(
  panels: readonly Panel[],
  current: string | null,
  profile: Profile,
  linkTo: (token: string, panel: string) => string,
): SafeHtml {
  return html`<nav class="menu screen-only" aria-label="Panels">
    <ul>
      ${panels.map((panel) => {
        const data = Object.hasOwn(profile.data, panel.name) ? profile.data[panel.name] : undefined
        const mark = data === undefined ? undefined : panel.badge?.(data)
        const position = panel.name === current ? 'page' : 'false'
        return html`<li>
          <a
            class="${data === undefined ? 'is-empty' : ''}"
            href="${linkTo(profile.token, panel.name)}"
            aria-current="${position}"
          >
            <span>${panel.title}</span>${mark === undefined ? null : badge(mark.count, mark.tone)}
          </a>
        </li> `
      })}
    </ul>
  </nav>`
}

/** Colour of a profile: its status, or an error that was thrown. */
export function profileTone(profile: Pick<Profile, 'status'>): Tone {
  return profile.status === 0 ? 'error' : statusTone(profile.status)
}

function instant(epochMs: number): string {
  const date = new Date(epochMs)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}
