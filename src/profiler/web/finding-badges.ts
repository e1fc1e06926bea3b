// Marks for what deserves a look about a profile: in lists, and as links in the band of its own pages.

import { badge } from '../../framework/html/components.ts'
import type { Tone } from '../../framework/html/components.ts'
import { html, type SafeHtml } from '../../framework/html/html.ts'
import type { Finding, ProfileSummary } from '../profile.ts'

/** What a finding is called, for people. */
export const findingLabels: Readonly<Record<Finding, string>> = {
  error: 'error',
  slow: 'slow',
  n_plus_one: 'N+1',
  blocked: 'blocked the loop',
}

const tones: Readonly<Record<Finding, Tone>> = {
  error: 'error',
  slow: 'warning',
  n_plus_one: 'warning',
  blocked: 'warning',
}

/** The panel that shows more of it. */
const places: Readonly<Record<Exclude<Finding, 'error'>, string>> = {
  slow: 'time',
  n_plus_one: 'database',
  blocked: 'time',
}

/** One link each to the panel that shows more; an error that status or class of what was thrown say already is not said again. */
export function findingLinks(
  { findings, status, errorClass, token }: ProfileSummary,
  linkTo: (token: string, panel: string) => string,
): SafeHtml | null {
  const isSaid = status === 0 || status >= 500 || errorClass !== null
  const shown = findings.filter((finding) => finding !== 'error' || !isSaid)
  if (shown.length === 0) return null
  return html`<p class="row headline-facts found">
    <span>Found</span>
    ${shown.map(
      (finding) =>
        html`<a href="${linkTo(token, finding === 'error' ? 'logger' : places[finding])}"
          ><b>${findingLabels[finding]}</b></a
        > `,
    )}
  </p>`
}

/** One mark each; an error that the status says already is not said twice. */
export function findingBadges({ findings, status }: ProfileSummary): SafeHtml | null {
  const shown = findings.filter((finding) => finding !== 'error' || (status > 0 && status < 500))
  if (shown.length === 0) return null
  return html`<span class="findings"
    >${shown.map((finding) => html`${badge(findingLabels[finding], tones[finding])} `)}</span
  >`
}
