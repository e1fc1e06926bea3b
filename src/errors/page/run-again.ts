// A button that sends a request again and asks for a measurement of it.

import { html, type SafeHtml } from '../../framework/html/html.ts'
import { scriptBlock } from '../../framework/html/style-sheet.ts'
import { profileHeader } from '../../framework/recording/seen-code.ts'

export type MeasuredAgain = 'code' | 'cpu' | 'memory'

/** Of a GET; shown where scripts run. `panel` is that of the new profile that is opened. */
export function runAgain(url: string, text: string, measured: MeasuredAgain, panel: string): SafeHtml {
  const target = url.replace(/^https?:\/\/[^/?#]*/, '').replace(/#.*$/s, '') || '/'
  return html`<p
    class="screen-only run-again"
    data-run-again="${target}"
    data-measure="${measured}"
    data-panel="${panel}"
    hidden
  >
    <button class="button" type="button">${text}</button>
    <span class="muted small" role="status"
      >Sends it again with the cookies of this browser, side effects included.</span
    >
  </p>`
}

/** Sends the request as a reader could from the address bar, and leads to its profile. Of two the first finds the functions whose lines the second notes. */
export const runAgainScript: SafeHtml = scriptBlock(`
for (const part of document.querySelectorAll('[data-run-again]')) {
  const button = part.querySelector('button'), status = part.querySelector('[role=status]'), { runAgain: path, measure, panel } = part.dataset;
  if (!path.startsWith('/') || path.startsWith('//')) continue;
  part.hidden = false;
  button.addEventListener('click', async () => {
    button.disabled = true;
    status.textContent = 'Waiting for the response.';
    try {
      let link;
      for (let left = measure === 'code' ? 2 : 1; left > 0; left -= 1) {
        const response = await fetch(path, { headers: { '${profileHeader}': measure }, redirect: 'manual', cache: 'no-store' });
        link = response.headers.get('x-debug-token-link');
        await response.text();
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
