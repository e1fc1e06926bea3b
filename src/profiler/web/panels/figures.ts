// The numbers at the head of a panel.

import { html, type SafeHtml } from '../../../framework/html/html.ts'

export function figureRow(figures: readonly (readonly [value: string, label: string])[]): SafeHtml {
  return html`<div class="figures">
    ${figures.map(([value, label]) => html`<div class="card figure"><b>${value}</b><span>${label}</span></div> `)}
  </div>`
}
