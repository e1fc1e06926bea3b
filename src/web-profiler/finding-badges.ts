// Marks for what deserves a look about a profile, in lists.

import { badge } from '../html/components.ts'
import type { Tone } from '../html/components.ts'
import { html, type SafeHtml } from '../html/html.ts'
import type { Finding, ListedProfile } from '../profiler/profile-store.ts'

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

/** One mark each; an error that the status says already is not said twice. */
export function findingBadges({ findings, status }: ListedProfile): SafeHtml | null {
  const shown = findings.filter((finding) => finding !== 'error' || (status > 0 && status < 500))
  if (shown.length === 0) return null
  return html`<span class="findings"
    >${shown.map((finding) => html`${badge(findingLabels[finding], tones[finding])} `)}</span
  >`
}
