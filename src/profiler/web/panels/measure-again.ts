// How a request is sent once more with the field that asks for a measurement.

import { fold } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { scriptBlock } from '../../../framework/html/style-sheet.ts'
import { mask } from '../../../framework/redact/rules.ts'
import type { Profile } from '../../profile.ts'
import { curlCommand } from '../../query/shell-commands.ts'
import { repeatableRequest } from '../../replay/repeatable-request.ts'

const fieldName = 'x-fanlight-profile'

/** `panel` shows what is measured; the value of the field is its name. Nothing for what cannot be sent again. */
export function measureAgain(profile: Profile, panel: 'code' | 'cpu' | 'memory', title: string): SafeHtml | null {
  const repeatable = repeatableRequest(profile)
  if (repeatable.state === 'impossible') return null
  const { request } = repeatable
  const headers = request.headers.filter(([name]) => name.toLowerCase() !== fieldName)
  const asking = { ...request, headers: [...headers, [fieldName, panel] as const] }
  const canFetch = request.method === 'GET' && !profile.url.includes(mask)
  return html`<h3>${title}</h3>
    ${canFetch ? html`<p class="screen-only" data-measure-again="${pathOf(profile.url)}" data-measure="${panel}" hidden><button class="button" type="button">Replay and profile</button> <span class="muted small" role="status">Runs the request again with the cookies of this browser, side effects included.</span></p>` : null}
    ${fold('cURL (POSIX shells)', html`<pre class="block mono" tabindex="0" aria-label="cURL command">${curlCommand(asking)}</pre>`)}`
}

function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/?#]*/, '').replace(/#.*$/s, '') || '/'
}

/** Sends the request from the page, as a reader could from the address bar, and leads to its profile. */
export const measureAgainScript: SafeHtml = scriptBlock(`
for (const part of document.querySelectorAll('[data-measure-again]')) {
  const button = part.querySelector('button'), status = part.querySelector('[role=status]'), { measureAgain: path, measure: panel } = part.dataset;
  if (!path.startsWith('/') || path.startsWith('//')) continue;
  part.hidden = false;
  button.addEventListener('click', async () => {
    button.disabled = true;
    status.textContent = 'Sent; waiting for the response.';
    try {
      let link;
      // The first one finds the functions whose lines the second one notes.
      for (let left = panel === 'code' ? 2 : 1; left > 0; left -= 1) {
        const answer = await fetch(path, { headers: { '${fieldName}': panel }, redirect: 'manual', cache: 'no-store' });
        link = answer.headers.get('x-debug-token-link');
        await answer.text();
      }
      if (link?.startsWith('/') && !link.startsWith('//')) return void location.assign(link + '?panel=' + panel + '&type=request');
      status.textContent = 'The response names no profile.';
    } catch {
      status.textContent = 'The request could not be sent.';
    }
    button.disabled = false;
  });
}
`)
