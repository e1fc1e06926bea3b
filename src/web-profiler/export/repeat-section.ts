// The part of the request panel from which the request can be sent again by hand.

import { emptyState } from '../../html/components.ts'
import { html, type SafeHtml } from '../../html/html.ts'
import type { Profile } from '../../profiler/profile.ts'
import { requestToRepeat } from './request-to-repeat.ts'
import { curlCommand, powerShellCommand } from './shell-command.ts'

/** Commands for two shells, and what is missing in them. */
export function repeatSection(profile: Profile): SafeHtml {
  const request = requestToRepeat(profile)
  if (request === null) return emptyState('This request cannot be written as a command.')
  const { omitted } = request
  return html`<details class="fold">
      <summary>As cURL, for POSIX shells</summary>
      <pre class="block mono" tabindex="0" aria-label="cURL command">${curlCommand(request)}</pre>
    </details>
    <details class="fold">
      <summary>For PowerShell 7</summary>
      <pre class="block mono" tabindex="0" aria-label="PowerShell command">${powerShellCommand(request)}</pre>
    </details>
    ${omitted.length === 0 ? null : html`<p class="muted small">Left out because their values were masked: ${omitted.join(', ')}.</p>`}`
}
