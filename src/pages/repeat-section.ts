// The part of the request panel from which the request can be sent again by hand.

import { emptyState, fold } from '../base/html/components.ts'
import { html, type SafeHtml } from '../base/html/html.ts'
import type { Profile } from '../observe/profile.ts'
import { curlCommand, missingText, repeatableRequest } from '../profiles/repeatable-request.ts'

/** The command, and what is missing in it. */
export function repeatSection(profile: Profile): SafeHtml {
  const repeatable = repeatableRequest(profile)
  if (repeatable.state === 'impossible') return emptyState(repeatable.problem)
  const { request } = repeatable
  const { body, missing } = request
  return html`${command(curlCommand(request))}
  ${missing.length === 0 ? null : html`<p class="muted small">Masked, so fill in: ${missing.map(missingText).join(', ')}.</p>`}
  ${body.state === 'missing' ? html`<p class="muted small">Without the body.</p>` : null}`
}

function command(text: string): SafeHtml {
  return fold(
    'cURL',
    html`<div data-command>
      <button class="button screen-only" type="button" hidden>
        <span>Copy</span><span class="visually-hidden"> the cURL command</span>
      </button>
      <pre class="block mono" tabindex="0" aria-label="cURL command">${text}</pre>
    </div>`,
  )
}
