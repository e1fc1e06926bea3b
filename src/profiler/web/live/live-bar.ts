// The line above the list that turns it live, or says how the live list is. Without a script it is a link that reads again.

import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'
import type { ProfilePage } from '../../profile-store.ts'
import type { ListQuery } from '../list-query.ts'

/** What the line is drawn from. */
export interface LiveBarView {
  readonly page: ProfilePage
  readonly query: ListQuery
  readonly profilerPath: string
}

/** A link to the live list; on it the state, the buttons and the way back. Only the newest profiles can be live. */
export function liveBar({ page, query, profilerPath }: LiveBarView): SafeHtml | null {
  if (query.problems.length > 0) return null
  const quiet = `${profilerPath}/?${query.with({})}`
  const live = `${profilerPath}/?${query.with({ live: '1' })}`
  if (!query.isLive || query.after !== undefined)
    return html`<p class="row live-bar screen-only">
      <a class="button" href="${live}">Watch live</a> <a class="button" href="${quiet}">Refresh</a>
    </p>`
  return html`<div
    class="row live-bar screen-only"
    data-live="${profilerPath}/live?${query.with({ from: page.newest })}"
  >
    <span class="live-dot tone-success" aria-hidden="true"></span>
    <span role="status" data-live-status>Live needs a script; refresh to see what is new.</span>
    <button class="button" type="button" data-live-pause aria-keyshortcuts="p" title="P" hidden>Pause</button>
    <a class="button" href="${live}">Refresh</a> <a class="button" href="${quiet}">Stop</a>
  </div>`
}

/** For the list. */
export const liveStyles: SafeHtml = styleSheet(`
.live-bar { gap: var(--space-2) }
.live-bar [role=status] { color: var(--muted); font-size: var(--size-small); min-width: 11rem }
.live-dot { width: .6rem; height: .6rem; border-radius: 50%; background: var(--line) }
.live-bar[data-state=live] .live-dot { background: var(--tone-edge, currentColor) }
.live-bar[data-state=paused] .live-dot { border-radius: 0 }
.profiles .is-new { animation: arrive 2.5s ease-out }
@keyframes arrive { from { background: var(--raised) } }
@media (prefers-reduced-motion: reduce) { .profiles .is-new { animation: none } }
`)
