// Ctrl K on every page of the profiler: a palette of its pages, the routes, the errors and the newest profiles. Without a
// script there is none, and no page needs it. `/` goes to the search box, `?` to the help.

import { scriptBlock, styleSheet, type SafeHtml } from '../base/html/html.ts'
import type { ProfilerPage } from './profiler-page.ts'
import { profilerJson } from './profiler-reply.ts'

const paletteStyles: SafeHtml = styleSheet(`
.palette { width: min(40rem, calc(100vw - 2rem)); margin: 10vh auto auto; padding: 0; color: var(--text); background: var(--surface);
  border: 1px solid var(--line-strong); border-radius: var(--radius); box-shadow: 0 .5rem 2rem rgb(0 0 0 / 30%) }
.palette::backdrop { background: rgb(0 0 0 / 35%) }
.palette input.field { width: 100%; min-height: 2.75rem; padding: 0 var(--space-4); border: 0; border-bottom: 1px solid var(--line); border-radius: 0; font-size: var(--size) }
.palette [role=listbox] { max-height: 60vh; overflow: auto }
.palette [role=option] { display: flex; gap: var(--space-3); justify-content: space-between; padding: .3rem var(--space-4); cursor: pointer }
.palette [role=option] > :first-child { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.palette [role=option] > :last-child { flex: none; color: var(--muted); font-size: var(--size-small) }
.palette [aria-selected=true] { background: var(--raised); box-shadow: inset 3px 0 var(--link) }
.palette p { padding: var(--space-2) var(--space-4); color: var(--muted); font-size: var(--size-small) }
`)

/** Reads what it offers when it is opened, from the pages that list it, as JSON. */
const paletteScript: SafeHtml = scriptBlock(`
{
  const home = document.querySelector('#search-form').getAttribute('action');
  const element = (name, attributes, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const read = async (page) => {
    try { return await (await fetch(home + page, { headers: { accept: 'application/json' } })).json(); } catch { return {}; }
  };
  const load = async () => {
    const pages = [...document.querySelectorAll('.pages a')].map((link) => ({ text: link.textContent.trim(), kind: 'page', href: link.href }));
    const [routes, errors, newest] = await Promise.all([read('runs.json?compare=no'), read('errors.json?sort=last'), read('index.json?limit=30')]);
    const list = (name, value) => home + '?' + new URLSearchParams({ [name]: value });
    return [
      ...pages,
      ...(errors.errors ?? []).map(({ id, name, count, lastMessage }) => ({ text: name, more: lastMessage, kind: count + (count === 1 ? ' time' : ' times'), href: home + 'errors?id=' + id })),
      ...(routes.groups ?? []).filter(({ key }) => key !== null).map(({ key, run }) => ({ text: key, kind: 'route, ' + run.count, href: list('route', key) })),
      ...(newest.items ?? []).map(({ token, method, status, url, errorClass, errorMessage }) =>
        ({ text: method + ' ' + url, more: [errorClass, errorMessage, token].join(' '), kind: status || 'no response', href: home + token })),
    ];
  };
  const open = () => {
    const input = element('input', { class: 'field', role: 'combobox', 'aria-label': 'Go to', 'aria-controls': 'palette-list', 'aria-expanded': 'true',
      'aria-autocomplete': 'list', autocomplete: 'off', placeholder: 'Page, route, error or profile' });
    const box = element('div', { role: 'listbox', id: 'palette-list', 'aria-label': 'Places' });
    const note = element('p', { role: 'status' }, 'Loading …');
    const dialog = element('dialog', { class: 'palette', 'aria-label': 'Go to' }, input, box, note);
    let places = [], shown = [], at = 0;
    const select = (index) => {
      at = Math.max(0, Math.min(shown.length - 1, index));
      for (const [place, option] of [...box.children].entries()) {
        option.setAttribute('aria-selected', place === at);
        if (place === at) option.scrollIntoView({ block: 'nearest' });
      }
      if (shown.length > 0) input.setAttribute('aria-activedescendant', 'palette-' + at);
      else input.removeAttribute('aria-activedescendant');
    };
    const draw = () => {
      const words = input.value.toLowerCase().split(' ').filter(Boolean);
      shown = places.filter(({ text, more, kind }) => words.every((word) => [text, more, kind].join(' ').toLowerCase().includes(word))).slice(0, 50);
      box.replaceChildren(...shown.map(({ text, kind }, index) => {
        const option = element('div', { role: 'option', id: 'palette-' + index, title: text }, element('span', {}, text), element('span', {}, String(kind)));
        option.addEventListener('click', () => go(index));
        return option;
      }));
      note.textContent = shown.length === 0 ? 'Nothing matches. Enter searches all profiles.' : '';
      note.hidden = shown.length > 0;
      select(0);
    };
    const go = (index) => { location.href = shown[index]?.href ?? home + '?' + new URLSearchParams({ search: input.value }); };
    input.addEventListener('input', draw);
    input.addEventListener('keydown', (event) => {
      if (event.key === 'ArrowDown') select(at + 1);
      else if (event.key === 'ArrowUp') select(at - 1);
      else if (event.key === 'Enter') loaded.then(() => go(at));
      else return;
      event.preventDefault();
    });
    dialog.addEventListener('close', () => dialog.remove());
    dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
    document.querySelector('dialog.palette')?.remove();
    document.body.append(dialog);
    dialog.showModal();
    const loaded = load().then((all) => { places = all; draw(); });
  };
  document.addEventListener('palette', open);
}
`)

/** `/_profiler/palette`: its style and script. */
export const palettePage: ProfilerPage = async () =>
  profilerJson(200, { style: String(paletteStyles), script: String(paletteScript) })

/** On every page. The palette is larger than many of them: it comes when somebody asks for it for the first time. */
export const keysScript: SafeHtml = scriptBlock(`
{
  const home = document.querySelector('#search-form')?.getAttribute('action'), { nonce } = document.currentScript;
  const isTyping = (target) => target.closest?.('input:not([type=checkbox]), select, textarea') != null;
  const load = async () => {
    const response = await fetch(home + 'palette');
    if (!response.ok) throw new Error(response.statusText);
    const parts = await response.json();
    for (const [name, textContent] of Object.entries(parts)) document.head.append(Object.assign(document.createElement(name), { nonce, textContent }));
  };
  let loaded;
  if (home) document.addEventListener('keydown', (event) => {
    const isPalette = event.key === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target), isSearch = isPlain && event.key === '/';
    if (isPlain && event.key === '?') location.href = home + 'help';
    if (!isPalette && !isSearch) return;
    event.preventDefault();
    const dialog = document.querySelector('dialog.palette');
    if (isSearch) document.querySelector('#search').focus();
    else if (dialog?.open) dialog.close();
    else (loaded ??= load()).then(() => document.dispatchEvent(new Event('palette')), () => (loaded = undefined));
  });
}
`)
