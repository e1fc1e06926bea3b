// Puts new rows on top of the list as the stream brings them. Holds them back while paused; lets go of the connection while
// nobody looks at the page, for a browser has few of them.

import type { SafeHtml } from '../../../framework/html/html.ts'
import { scriptBlock } from '../../../framework/html/style-sheet.ts'

/** For the live list; the rows are made by the server. */
export const liveScript: SafeHtml = scriptBlock(`
{
  const maxRows = 200;
  const bar = document.querySelector('[data-live]'), body = document.querySelector('.profiles tbody');
  const status = bar?.querySelector('[data-live-status]'), button = bar?.querySelector('[data-live-pause]');
  let source, address = bar?.dataset.live, paused = false, waiting = [], waitingCount = 0, unseen = 0, more = false, state = '';

  const say = () => {
    bar.dataset.state = paused ? 'paused' : state;
    const lost = unseen === 0 ? '' : ' ' + unseen + (more ? ' or more' : '') + ' others came too quickly: refresh to see them.';
    if (paused) status.textContent = 'Paused, ' + waitingCount + ' waiting.' + lost;
    else if (state === 'live') status.textContent = 'Live: new profiles appear here.' + lost;
    else if (state === 'refused') status.textContent = 'The live list is not to be had now: too many are open. Refresh instead.';
    else if (state !== 'trouble') status.textContent = 'Connecting …';
    button.textContent = paused ? (waitingCount > 0 ? 'Show ' + waitingCount + ' and go on' : 'Go on') : 'Pause';
  };
  const drawBars = () => {
    const rows = [...body.rows], longest = Math.max(...rows.map((row) => Number(row.dataset.ms)));
    for (const row of rows) {
      const bar = row.querySelector('.duration-bar rect:last-child');
      if (longest > 0) bar?.setAttribute('width', Math.max(1, (Number(row.dataset.ms) / longest) * 100).toFixed(1));
    }
  };
  const insert = (markup) => {
    const rows = document.createElement('template');
    rows.innerHTML = markup;
    for (const row of rows.content.children) row.classList.add('is-new');
    body.prepend(rows.content);
    while (body.rows.length > maxRows) body.rows[maxRows].remove();
    drawBars();
  };
  const receive = (event) => {
    const data = JSON.parse(event.data);
    address = address.replace(/([?&]from=)[^&]*/, '$1' + encodeURIComponent(event.lastEventId));
    unseen += data.missed;
    more ||= data.more;
    if (body === null) return location.reload();
    if (!paused) insert(data.profiles);
    else {
      waiting.push(data.profiles);
      waitingCount += data.count;
      if (waiting.length > maxRows) waiting.shift();
    }
    say();
  };
  const close = () => { source?.close(); source = undefined; };
  const open = () => {
    close();
    source = new EventSource(address);
    source.addEventListener('open', () => { state = 'live'; say(); });
    source.addEventListener('profiles', receive);
    source.addEventListener('trouble', (event) => { state = 'trouble'; status.textContent = JSON.parse(event.data).error; say(); });
    source.addEventListener('error', () => { state = source?.readyState === 2 ? 'refused' : 'connecting'; say(); });
  };
  const toggle = () => {
    paused = !paused;
    if (!paused) {
      for (const markup of waiting) insert(markup);
      waiting = [];
      waitingCount = 0;
    }
    say();
  };

  if (bar) {
    button.hidden = false;
    button.addEventListener('click', toggle);
    document.addEventListener('keydown', (event) => {
      const isTyping = event.target.closest?.('input, select, textarea') != null;
      if (event.key === 'p' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) toggle();
    });
    document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
    addEventListener('pagehide', close);
    say();
    if (!document.hidden) open();
  }
}
`)
