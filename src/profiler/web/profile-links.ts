// The ways on from a profile: to a comparison, and out of the machine.

import { html, type SafeHtml } from '../../framework/html/html.ts'
import { commandMethod } from '../collectors/command.ts'
import type { ProfileSummary } from '../profile.ts'
import { maxNamed } from './profile-headline.ts'

/** All its parts, where the band names only some; the median of its route, where it has one; another profile; files. */
export function profileLinks(profile: ProfileSummary, profilerPath: string): SafeHtml {
  const { token, route, childTokens, method } = profile
  const parts = `${childTokens.length} ${method === commandMethod ? 'processes' : 'sub-requests'}`
  return html`<p class="row headline-facts screen-only">
    ${childTokens.length <= maxNamed ? null : html`<a href="${profilerPath}/?parent=${token}">All ${parts}</a>`}
    ${route === null ? null : html`<a href="${profilerPath}/compare?a=${token}&b=median">Compare with the median of its route</a>`}
    <a href="${profilerPath}/compare?a=${token}">Compare with …</a>
    <a href="${profilerPath}/export?token=${token}">Export …</a>
  </p>`
}
