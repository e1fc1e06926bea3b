// A button that sends a request again, or two to compare, and asks for a measurement.

import { html, type SafeHtml, scriptBlock } from '../../base/html/html.ts'
import { profileHeader } from '../../http/recording/recording.ts'

export type MeasuredAgain = 'code' | 'cpu' | 'memory'

/** Of a GET; shown where scripts run. `panel` is that of the new profile that is opened; of two URLs it is their comparison. */
export function runAgain(
  urls: readonly [url: string, other?: string],
  text: string,
  measured: MeasuredAgain,
  panel: string,
): SafeHtml {
  const targets = urls.map((url = '') => url.replace(/^https?:\/\/[^/?#]*/, '').replace(/#.*$/s, '') || '/')
  return html`<p
    class="screen-only run-again"
    data-run-again="${targets.join(' ')}"
    data-measure="${measured}"
    data-panel="${panel}"
    hidden
  >
    <button class="button" type="button">${text}</button>
    <span class="muted small" role="status"
      >Sends ${urls.length === 1 ? 'it' : 'them'} again with the cookies of this browser, side effects included.</span
    >
  </p>`
}

/** Sends the request as a reader could from the address bar, and leads to its profile. Of two the first finds the functions whose lines the second notes. */
export const runAgainScript: SafeHtml = scriptBlock(`
for (const part of document.querySelectorAll('[data-run-again]')) {
  const button = part.querySelector('button'), status = part.querySelector('[role=status]'), { runAgain, measure, panel } = part.dataset;
  const paths = runAgain.split(' ');
  if (!paths.every((path) => /^\\/(?!\\/)/.test(path))) continue;
  part.hidden = false;
  button.addEventListener('click', async () => {
    button.disabled = true;
    status.textContent = 'Waiting for the response.';
    try {
      let link, tokens = [];
      for (const path of paths) for (let left = measure === 'code' ? 2 : 1; left > 0; left -= 1) {
        const response = await fetch(path, { headers: { '${profileHeader}': measure }, redirect: 'manual', cache: 'no-store' });
        link = response.headers.get('x-debug-token-link');
        if (left === 1) tokens.push(response.headers.get('x-debug-token'));
        await response.text();
      }
      if (/^\\/(?!\\/)/.test(link) && tokens.every(Boolean)) return void location.assign(tokens.length < 2 ? link + '?panel=' + panel + '&type=request' : link.replace(/[^/]*$/, 'compare?a=' + tokens.join('&b=')));
      status.textContent = 'The response names no profile.';
    } catch {
      status.textContent = 'The request could not be sent.';
    }
    button.disabled = false;
  });
}
`)
