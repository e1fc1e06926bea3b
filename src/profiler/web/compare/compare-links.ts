// The way from the list to a comparison.

import { html, type SafeHtml } from '../../../framework/html/html.ts'

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
