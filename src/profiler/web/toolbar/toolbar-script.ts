// What the toolbar does in the page: closes and remembers it, and lists the page's own requests with their profiles. It
// watches `fetch` and `XMLHttpRequest` and changes nothing of what they do.

import type { SafeHtml } from '../../../framework/html/html.ts'
import { scriptBlock } from '../../../framework/html/style-sheet.ts'

/** Stands right after the element. Uses no markup strings, so that it runs under Trusted Types as well. */
export const toolbarScript: SafeHtml = scriptBlock(`
(() => {
  const own = document.currentScript, host = own && own.previousElementSibling, root = host && host.shadowRoot;
  if (own) own.remove();
  if (!root) return;
  const part = (id) => root.getElementById(id), profiler = host.dataset.profiler, key = 'fanlight-toolbar';
  const stored = (name) => { try { return localStorage.getItem(name) } catch { return null } };
  const keep = (value) => { try { localStorage.setItem(key, value) } catch {} };
  const bar = root.querySelector('.bar'), panel = part('requests'), opener = part('open-requests');

  const theme = stored('fanlight-theme');
  if (theme === 'light' || theme === 'dark') host.dataset.theme = theme;
  // In a page of ordinary flow the bar gets room of its own below the last line.
  if (getComputedStyle(document.body).display === 'block') host.dataset.room = '';

  const show = (isOpen) => {
    bar.hidden = !isOpen;
    part('reopen').hidden = isOpen;
    if (isOpen) delete host.dataset.closed; else host.dataset.closed = '';
    if (!isOpen) unfold(false);
  };
  const unfold = (isOpen) => {
    panel.hidden = !isOpen;
    opener.setAttribute('aria-expanded', String(isOpen));
  };
  part('close').hidden = false;
  part('close').addEventListener('click', () => { keep('closed'); show(false); part('reopen').focus() });
  part('reopen').addEventListener('click', () => { keep('open'); show(true); part('close').focus() });
  opener.addEventListener('click', () => unfold(panel.hidden));
  root.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || panel.hidden) return;
    event.stopPropagation();
    unfold(false);
    opener.focus();
  });
  show(stored(key) !== 'closed');

  let count = 0;
  const add = (tagName, className, text) => {
    const element = document.createElement(tagName);
    element.className = className;
    element.textContent = text;
    return element;
  };
  const note = (call) => {
    const url = new URL(call.url, location.href);
    if (url.origin !== location.origin) return;
    const item = document.createElement('li');
    const isBad = call.status === 0 || call.status >= 400;
    const path = url.pathname + url.search;
    item.append(
      add('span', isBad ? 'bad' : '', call.status === 0 ? 'failed' : String(call.status)),
      add('span', '', call.method),
      add('span', 'path', path.length > 200 ? path.slice(0, 200) + '\\u2026' : path),
      add('span', '', Math.round(call.durationMs) + ' ms'),
    );
    if (/^[0-9a-z]{10,16}$/.test(call.token || '')) {
      const link = add('a', '', call.token);
      link.href = profiler + '/' + call.token;
      item.append(link);
    }
    const list = part('list');
    list.prepend(item);
    while (list.childElementCount > 20) list.lastElementChild.remove();
    count += 1;
    part('count').textContent = String(count);
    opener.hidden = false;
  };
  // Whatever goes wrong in here must not be felt by the page.
  const quietly = (work) => { try { work() } catch {} };

  const fetchOfPage = window.fetch;
  window.fetch = function fetch(input, init) {
    const startedMs = performance.now();
    const answer = fetchOfPage.apply(this, arguments);
    const facts = (url, status, token) => quietly(() => {
      const method = String((init && init.method) || (input instanceof Request && input.method) || 'GET').toUpperCase();
      note({ url, method, status, token, durationMs: performance.now() - startedMs });
    });
    answer.then(
      (response) => quietly(() => {
        if (response.type === 'basic') facts(response.url, response.status, response.headers.get('x-debug-token'));
      }),
      () => facts(input instanceof Request ? input.url : String(input), 0, null),
    );
    return answer;
  };

  const { open, send } = XMLHttpRequest.prototype, methods = new WeakMap();
  XMLHttpRequest.prototype.open = function (method, url) {
    quietly(() => methods.set(this, { method: String(method).toUpperCase(), url: String(url) }));
    return open.apply(this, arguments);
  };
  XMLHttpRequest.prototype.send = function () {
    const startedMs = performance.now();
    quietly(() => this.addEventListener('loadend', () => quietly(() => {
      const { method, url } = methods.get(this), address = this.responseURL || url;
      if (new URL(address, location.href).origin !== location.origin) return;
      note({ url: address, method, status: this.status, token: this.getResponseHeader('x-debug-token'), durationMs: performance.now() - startedMs });
    }), { once: true }));
    return send.apply(this, arguments);
  };
})();
`)
