// The ways from a profile and from the list to a comparison.

import { html, type SafeHtml } from '../../html/html.ts'
import type { ProfileSummary } from '../../profiler/profile.ts'

/** From a profile: the median of its route, where it has one, or another profile. */
export function compareLinks({ token, route }: ProfileSummary, profilerPath: string): SafeHtml {
  return html`<p class="row headline-facts screen-only">
    ${route === null ? null : html`<a href="${profilerPath}/compare?a=${token}&b=median">Compare with the median of its route</a>`}
    <a href="${profilerPath}/compare?a=${token}">Compare with …</a>
  </p>`
}

/** A box in a row of the list; two of them and the button of `compareButton` make a comparison. */
export function compareBox(token: string): SafeHtml {
  return html`<input
    class="screen-only"
    type="checkbox"
    name="with"
    value="${token}"
    form="compare-chosen"
    aria-label="Compare ${token}"
  />`
}

/** Sends the first two boxes that are ticked: the newer one is A. */
export function compareButton(profilerPath: string): SafeHtml {
  return html`<form id="compare-chosen" action="${profilerPath}/compare">
    <button class="button" title="Tick two rows of the list">Compare the two ticked</button>
  </form>`
}
