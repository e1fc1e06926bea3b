// How a request is sent once more with the field that asks for a measurement.

import { runAgain, type MeasuredAgain } from '../../errors/page/run-again.ts'
import { fold } from '../../base/html/components.ts'
import { html, type SafeHtml } from '../../base/html/html.ts'
import { profileHeader } from '../../http/recording/seen-code.ts'
import { mask } from '../../base/redact/rules.ts'
import type { Profile } from '../../observe/profile.ts'
import { curlCommand } from '../../profiles/query/shell-commands.ts'
import { repeatableRequest } from '../../profiles/repeatable-request.ts'

/** `panel` shows what is measured; the value of the field is its name. Nothing for what cannot be sent again. */
export function measureAgain(profile: Profile, panel: MeasuredAgain, title: string): SafeHtml | null {
  const repeatable = repeatableRequest(profile)
  if (repeatable.state === 'impossible') return null
  const { request } = repeatable
  const headers = request.headers.filter(([name]) => name.toLowerCase() !== profileHeader)
  const asking = { ...request, headers: [...headers, [profileHeader, panel] as const] }
  const canFetch = request.method === 'GET' && !profile.url.includes(mask)
  return html`<h3>${title}</h3>
    ${canFetch ? runAgain([profile.url], 'Replay and profile', panel, panel) : null}
    ${fold('cURL (POSIX shells)', html`<pre class="block mono" tabindex="0" aria-label="cURL command">${curlCommand(asking)}</pre>`)}`
}
