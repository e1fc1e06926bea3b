// Styles and script of the toolbar; the script only observes `fetch`, `XMLHttpRequest` and `EventSource`.

import { arcStyles } from '../../base/html/arc.ts'
import { trusted, type SafeHtml, styleSheet, scriptBlock } from '../../base/html/html.ts'

/** Without a script the bar is there, and cannot be closed. */
export const toolbarStyles: SafeHtml = trusted(
  `${String(arcStyles)}${String(
    styleSheet(`
:host {
  all: initial !important;
  color-scheme: light dark !important;
  position: fixed !important;
  inset: auto 0 0 0 !important;
  display: block !important;
  z-index: 2147483647 !important;
  pointer-events: none !important;
}
:host([data-room]) {
  position: static !important;
  height: var(--room, 36px) !important;
  clear: both !important;
}
:host([data-room][data-closed]) { height: 0 !important }
:host([data-theme=light]) { color-scheme: light !important }
:host([data-theme=dark]) { color-scheme: dark !important }
* { box-sizing: border-box }
[hidden] { display: none !important }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
.toolbar {
  position: fixed;
  inset: auto 0 0 0;
  z-index: 2147483647;
  color: light-dark(#171c26, #e5e9f0);
  font: 13px/1.4 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  --ground: light-dark(#fff, #191d25);
  --line: light-dark(#b9c1cc, #465062);
  --quiet: light-dark(#566072, #9ca7b8);
  --focus: light-dark(#1b57b5, #9cc3ff);
}
.bar, .panel, .reopen { pointer-events: auto; background: var(--ground) }
.bar { position: relative; display: flex; align-items: stretch; min-height: 36px; border-top: 1px solid var(--line) }
.more { margin-left: -.35em }
.bar[data-followed] > :not(.followed, .token, .close, #requests, #browser) { display: none }
.spot { display: flex; flex-shrink: 0 }
.panel { display: none; position: absolute; bottom: 100%; min-width: 14rem; max-width: 26rem; max-height: min(60vh, 24rem); overflow: auto;
  padding: .6rem .7rem; border: 1px solid var(--line); border-left-color: var(--line); box-shadow: 0 -2px 12px rgb(0 0 0 / 12%) }
.bar:not([data-quiet]) .spot:is(:hover, :focus-within) .panel, .spot[data-open] .panel { display: block }
dl { display: grid; grid-template-columns: 1fr auto; gap: .15rem 1.2rem; margin: 0 }
dt { color: var(--quiet) }
dd { margin: 0; text-align: right; font-variant-numeric: tabular-nums }
dt[class^=share]::before { content: ""; display: inline-block; width: .6em; height: .6em; margin-right: .45em; border: 1px solid var(--bar); background: var(--bar) }
dt.share-io::before { background: none }
.item, .status, .reopen {
  display: flex;
  gap: .35em;
  align-items: center;
  min-width: 24px;
  padding: 0 .7rem;
  color: inherit;
  font: inherit;
  text-decoration: none;
  white-space: nowrap;
}
a.item:hover, button.item:hover { background: light-dark(#eceff3, #232934) }
button { border: 0; background: none; cursor: pointer }
a:focus-visible, button:focus-visible { outline: 2px solid var(--focus); outline-offset: -3px }
.name { color: var(--quiet) }
.status, .reopen { background: light-dark(#434c5c, #363f4d); color: #fff; font-weight: 600 }
.status:focus-visible, .reopen:focus-visible { outline-color: #fff }
.status.tone-success { background: light-dark(#1b6b3b, #16562f) }
.status.tone-info { background: light-dark(#1b5796, #17467b) }
.status.tone-warning { background: light-dark(#9c4a00, #743d04) }
.status.tone-error { background: light-dark(#ad2118, #8a1c15) }
.item.tone-warning { background: light-dark(#fdf0dc, #372812); color: light-dark(#8a4b00, #f2b366) }
.item.tone-error { background: light-dark(#fdebe9, #3d1b19); color: light-dark(#ad2118, #ff9c92) }
.item.tone-warning .name, .item.tone-error .name { color: inherit }
.item { overflow: hidden }
.status, .close, #open-requests { flex-shrink: 0 }
.route { overflow: hidden; text-overflow: ellipsis }
.redirects a, li a { min-width: 24px; line-height: 24px; color: light-dark(#1b57b5, #8ab8ff) }
.token { margin-left: auto; flex-shrink: 0 }
.token .name { font-size: 12px }
.token b { font-weight: 650 }
.close { font-size: 18px; min-width: 36px; justify-content: center }
.reopen { position: absolute; right: 0; bottom: 0; min-height: 36px; border-top-left-radius: 6px }
h2 { margin: 0 0 .4rem; font-size: 13px }
ol { margin: 0; padding: 0; list-style: none }
li { display: flex; gap: .6em; padding: .15rem 0; border-top: 1px solid light-dark(#dfe3e9, #2c3340) }
li .path { min-width: 0; flex: 1; overflow-wrap: anywhere }
li .bad { color: light-dark(#ad2118, #ff9c92) }
li span { flex-shrink: 0 }
li .path { flex-shrink: 1 }
@media (max-width: 64rem) { .name:not(.kept), .token b { display: none } #open-requests .name { display: inline } }
@media (max-width: 46rem) {
  .more, .route, .plugin, .redirects { display: none }
  .item, .status { padding: 0 .5rem; min-height: 36px }
  .bar { flex-wrap: wrap }
  .panel { left: 0; right: 0; max-width: none }
}
@media (forced-colors: active) { .spot, .item { border-left: 1px solid } }
@media print { :host { display: none !important } }
`),
  )}`,
)

/** Comes right after the element. Uses no markup strings, so that it also runs under Trusted Types. */
export const toolbarScript: SafeHtml = scriptBlock(`
(() => {
  const own = document.currentScript, host = own && own.previousElementSibling, root = host && host.shadowRoot;
  if (own) own.remove();
  if (!root) return;
  const part = (id) => root.getElementById(id), profiler = host.dataset.profiler, key = 'fanlight-toolbar';
  const stored = (name) => { try { return localStorage.getItem(name) } catch { return null } };
  const keep = (value) => { try { localStorage.setItem(key, value) } catch {} };
  const bar = root.querySelector('.bar'), spot = part('requests'), opener = part('open-requests');

  let quietSpot = null;
  const theme = stored('fanlight-theme');
  if (theme === 'light' || theme === 'dark') host.dataset.theme = theme;
  // In a page of ordinary flow the bar gets room below the last line.
  if (getComputedStyle(document.body).display === 'block') host.dataset.room = '';

  const show = (isOpen) => {
    bar.hidden = !isOpen;
    part('reopen').hidden = isOpen;
    if (isOpen) delete host.dataset.closed; else host.dataset.closed = '';
    if (!isOpen) unfold(false);
  };
  const unfold = (isOpen) => {
    if (isOpen) spot.dataset.open = ''; else delete spot.dataset.open;
    opener.setAttribute('aria-expanded', String(isOpen));
  };
  part('close').hidden = false;
  part('close').addEventListener('click', () => { keep('closed'); show(false); part('reopen').focus() });
  part('reopen').addEventListener('click', () => { keep('open'); show(true); part('close').focus() });
  opener.addEventListener('click', () => unfold(!('open' in spot.dataset)));
  // Escape puts away what hover and focus opened, until the pointer or the focus goes elsewhere.
  root.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    bar.dataset.quiet = '';
    if ('open' in spot.dataset) { unfold(false); opener.focus() }
  });
  for (const name of ['pointerover', 'focusin']) bar.addEventListener(name, (event) => {
    if (event.target.closest('.spot') !== quietSpot) delete bar.dataset.quiet;
    quietSpot = event.target.closest('.spot');
  });
  // A bar of two lines needs more room below the page.
  new ResizeObserver(() => host.style.setProperty('--room', bar.offsetHeight + 'px')).observe(bar);
  show(stored(key) !== 'closed');

  let count = 0, failed = 0;
  const add = (tagName, className, text) => {
    const element = document.createElement(tagName);
    element.className = className;
    element.textContent = text;
    return element;
  };

  // Turbo, htmx and others put another page into this document. The bar then says what is known of that one.
  const address = () => location.pathname + location.search;
  const pages = new Map([[address(), null]]), profile = part('profile'), ownProfile = profile.getAttribute('href');
  const reopenStatus = part('reopen').lastChild, ownStatus = reopenStatus.data;
  let shown = { address: address(), page: null }, isSwapped = false;
  const follow = () => {
    if (!host.isConnected) {
      for (const copy of document.querySelectorAll(host.localName)) copy.remove();
      document.body.append(host);
      isSwapped = true;
    }
    const page = pages.get(address());
    if (page === undefined || page === shown.page || (!isSwapped && address() === shown.address)) return;
    shown = { address: address(), page };
    isSwapped = false;
    for (const old of bar.querySelectorAll('.followed')) old.remove();
    bar.toggleAttribute('data-followed', page !== null);
    profile.href = page === null ? ownProfile : profiler + '/' + page.token;
    reopenStatus.data = page === null ? ownStatus : page.status;
    if (page === null) return;
    const tone = ['success', 'info', 'warning', 'error'][Math.floor(page.status / 100) - 2];
    const status = add('a', 'followed status tone-' + tone, String(page.status));
    status.href = profile.href + '?panel=request&type=request';
    status.ariaLabel = 'Status ' + page.status;
    bar.prepend(status, add('span', 'followed item route', address()), add('span', 'followed item', Math.round(page.durationMs) + ' ms'));
  };
  const note = (call) => {
    const url = new URL(call.url, location.href);
    if (url.origin !== location.origin || url.pathname.startsWith(profiler + '/')) return;
    const item = document.createElement('li');
    const isBad = call.status === 0 || call.status >= 400;
    const operation = /\\bgraphql;desc="([^"]*)"/.exec(call.field('server-timing') || '');
    const path = url.pathname + url.search + (operation ? ' ' + operation[1] : '');
    const token = call.field('x-debug-token') || '';
    item.append(
      add('span', isBad ? 'bad' : '', call.status === 0 ? 'failed' : String(call.status)),
      add('span', '', call.method),
      add('span', 'path', path.length > 200 ? path.slice(0, 200) + '\\u2026' : path),
      add('span', '', Math.round(call.durationMs) + ' ms'),
    );
    const isRecorded = /^[0-9a-z]{10,16}$/.test(token);
    const link = add('a', '', isRecorded ? token : 'find');
    link.href = profiler + '/' + (isRecorded ? token : '?url=' + encodeURIComponent(url.pathname));
    if (call.status > 0) item.append(link);
    if (isRecorded && /^text\\/html\\b/i.test(call.field('content-type') || '')) {
      if (pages.size > 50) pages.delete(pages.keys().next().value);
      pages.set(url.pathname + url.search, { status: call.status, token, durationMs: call.durationMs });
      follow();
    }
    const list = part('list');
    list.prepend(item);
    while (list.childElementCount > 20) list.lastElementChild.remove();
    count += 1;
    if (isBad) failed += 1;
    part('count').textContent = count + (failed > 0 ? ', ' + failed + ' failed' : '');
    opener.classList.toggle('tone-error', failed > 0);
    spot.hidden = false;
  };
  // Whatever goes wrong in here must not be felt by the page.
  const quietly = (work) => { try { work() } catch {} };

  const reporting = window[Symbol.for('fanlight.browser')];
  if (reporting) {
    reporting.changed = () => {
      part('browser').hidden = reporting.errors === 0;
      part('browser-errors').textContent = reporting.errors + (reporting.errors === 1 ? ' error' : ' errors');
    };
    reporting.changed();
  }

  // What was sent before this script ran; its method and headers are not known.
  const beganMs = performance.now();
  quietly(() => new PerformanceObserver((list) => {
    for (const { name: url, initiatorType, startTime, responseStatus: status, duration: durationMs } of list.getEntries())
      if (startTime < beganMs && status !== undefined && /^(?:fetch|xmlhttprequest)$/.test(initiatorType))
        quietly(() => note({ url, method: '', status, field: () => null, durationMs }));
  }).observe({ type: 'resource', buffered: true }));

  // Another body may come in place of this one, and the address may change before or after.
  const swaps = new MutationObserver(() => quietly(watch));
  const watch = () => {
    for (const parent of [document.documentElement, document.body]) swaps.observe(parent, { childList: true });
    follow();
  };
  quietly(watch);
  for (const [target, name] of [[window, 'popstate'], [window.navigation, 'currententrychange']])
    if (target) target.addEventListener(name, () => quietly(follow));

  const fetchOfPage = window.fetch;
  window.fetch = function fetch(input, init) {
    const startedMs = performance.now();
    const answer = fetchOfPage.apply(this, arguments);
    const facts = (url, status, field) => quietly(() => {
      const method = String((init && init.method) || (input instanceof Request && input.method) || 'GET').toUpperCase();
      note({ url, method, status, field, durationMs: performance.now() - startedMs });
    });
    answer.then(
      (response) => quietly(() => {
        if (response.type === 'basic') facts(response.url, response.status, (name) => response.headers.get(name));
      }),
      () => facts(input instanceof Request ? input.url : String(input), 0, () => null),
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
      note({ url: address, method, status: this.status, field: (name) => this.getResponseHeader(name), durationMs: performance.now() - startedMs });
    }), { once: true }));
    return send.apply(this, arguments);
  };

  // It tells only that it is open, which is a 200, or that it gave up.
  window.EventSource = new Proxy(window.EventSource, {
    construct(target, args, made) {
      const source = Reflect.construct(target, args, made), startedMs = performance.now();
      const told = (status) => quietly(() =>
        note({ url: source.url, method: 'GET', status, field: () => null, durationMs: performance.now() - startedMs }));
      source.addEventListener('open', () => told(200));
      source.addEventListener('error', () => { if (source.readyState === 2) told(0) });
      return source;
    },
  });
})();
`)
