// The ways on from a profile: to a comparison, and out of the machine.

import { html, type SafeHtml } from '../html/html.ts'
import type { ProfileSummary } from '../profiler/profile.ts'

/** The median of its route, where it has one; another profile; files. */
export function profileLinks({ token, route }: ProfileSummary, profilerPath: string): SafeHtml {
  return html`<p class="row headline-facts screen-only">
    ${route === null ? null : html`<a href="${profilerPath}/compare?a=${token}&b=median">Compare with the median of its route</a>`}
    <a href="${profilerPath}/compare?a=${token}">Compare with …</a>
    <a href="${profilerPath}/export?token=${token}">Export …</a>
  </p>`
}
