// Small pieces that several pages share, and the way numbers, sizes and instants are written for people.

import { html, type HtmlValue, type SafeHtml } from './html.ts'

/** A meaning that has a colour. The class `tone-<tone>` carries it. */
export type Tone = 'neutral' | 'info' | 'success' | 'warning' | 'error'

/** Colour of a status: 2xx success, 3xx info, 4xx warning, 5xx error; 0 and 1xx neutral. */
export function statusTone(status: number): Tone {
  if (status >= 500) return 'error'
  if (status >= 400) return 'warning'
  if (status >= 300) return 'info'
  return status >= 200 ? 'success' : 'neutral'
}

/** A sentence that stands out. */
export function note(content: HtmlValue, tone: Tone = 'warning'): SafeHtml {
  return html`<p class="note tone-${tone}">${content}</p> `
}

/** Shows text between backticks as code. The backticks stay in the text, hidden. */
export function prose(text: string): SafeHtml {
  const parts = text.split('`')
  if (parts.length % 2 === 0) return html`${text}`
  return html`${parts.map((part, index) => (index % 2 === 0 ? part : html`<code>${tick}${part}${tick}</code>`))}`
}

const tick = html`<span class="tick">\`</span>`

/** Under a heading that names it. `id` is unique on its page. */
export function section(id: string, title: HtmlValue, content: HtmlValue, className?: string): SafeHtml {
  return html`<section class="${className}" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${content}
  </section> `
}

/** A short mark: a count, a level, a status. */
export function badge(content: string | number, tone: Tone = 'neutral'): SafeHtml {
  return html`<span class="badge tone-${tone}">${content}</span>`
}

/** Names and values, one pair a row. Says so in a sentence when there are none. `caption` names the table to readers. */
export function keyValueTable(
  rows: readonly (readonly [name: HtmlValue, value: HtmlValue])[],
  options: { readonly caption?: string; readonly empty?: string; readonly isProse?: boolean } = {},
): SafeHtml {
  if (rows.length === 0) return emptyState(options.empty ?? 'Nothing here.')
  return html`<table class="table facts ${options.isProse === true && 'prose'}" aria-label="${options.caption}">
    <tbody>
      ${rows.map(
        ([name, value]) =>
          html`<tr>
            <th scope="row">${name}</th>
            <td>${value}</td>
          </tr> `,
      )}
    </tbody>
  </table>`
}

/** Rows under column heads, each a title or a `columnHead`. `caption` names the table to readers. */
export function dataTable(
  className: string,
  caption: string,
  heads: readonly (string | SafeHtml)[],
  rows: HtmlValue,
): SafeHtml {
  return html`<table class="table ${className}" aria-label="${caption}">
    <thead>
      <tr>
        ${heads.map((head) => (typeof head === 'string' ? columnHead(head) : head))}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`
}

/** `number` aligns a column of numbers. */
export function columnHead(title: string, className = ''): SafeHtml {
  return html`<th scope="col" class="${className}">${title}</th> `
}

/** A column that a click sorts the table by, the greatest first. */
export function sortHead(
  title: string,
  href: string,
  {
    isCurrent,
    hint,
    className = 'number',
  }: { readonly isCurrent: boolean; readonly hint?: string | undefined; readonly className?: string },
): SafeHtml {
  const link = html`<a href="${href}" title="${hint}">${title}</a>`
  return html`<th scope="col" class="${className}" aria-sort="${isCurrent && 'descending'}">
    ${link}${isCurrent ? html`<span aria-hidden="true"> ↓</span>` : null}
  </th> `
}

/** What unfolds under its title. `className` may name several classes. */
export function fold(
  title: HtmlValue,
  content: HtmlValue,
  { isOpen = false, className = '' }: { readonly isOpen?: boolean; readonly className?: string } = {},
): SafeHtml {
  return html`<details class="fold ${className}" open="${isOpen}">
    <summary>${title}</summary>
    ${content}
  </details>`
}

/** One sentence in place of an empty section: `Nothing was logged.` */
export function emptyState(sentence: string): SafeHtml {
  return html`<p class="empty">${sentence}</p>`
}

/** `0.42 ms`, `12.3 ms`, `340 ms`, `1.25 s`, `2 min 5 s`; three digits at most. `–` for anything but a number. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return '–'
  const size = Math.abs(ms)
  if (size < 9.995) return `${ms.toFixed(2)} ms`
  if (size < 99.95) return `${ms.toFixed(1)} ms`
  if (size < 999.5) return `${ms.toFixed(0)} ms`
  if (size < 59_950) return `${(ms / 1000).toFixed(size < 9_995 ? 2 : 1)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.trunc(seconds / 60)} min ${Math.abs(seconds % 60)} s`
}

/** `12,345`; `–` for anything but a number. `toLocaleString()` loads its tables at the first use: 20 ms. */
export function formatCount(count: number): string {
  return !Number.isFinite(count) ? '–' : String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
}

/** `1 span`, `10,000 spans`. */
export function counted(count: number, one: string, many: string = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

/** Coarser than a duration: `40.0 s`, `5.5 h`, `3.2 days`. */
export function formatAge(ms: number): string {
  if (ms < 7_200_000) return formatDuration(ms)
  return ms < 172_800_000 ? `${Number((ms / 3_600_000).toFixed(1))} h` : `${Number((ms / 86_400_000).toFixed(1))} days`
}

/** `512 B`, `12.3 KB`, `4.5 MB`; a KB is 1024 bytes. `–` for anything but a number. */
export function formatBytes(bytes: number): string {
  if (!Number.isFinite(bytes)) return '–'
  let size = bytes
  let unit = 0
  while (Math.abs(size) >= 1024 && unit < byteUnits.length - 1) {
    size /= 1024
    unit++
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${byteUnits[unit]}`
}

/** `2026-11-21T08:19:31.800Z`; a profile from elsewhere may hold anything. */
export function isoTime(epochMs: number): string {
  const date = new Date(epochMs)
  return Number.isNaN(date.getTime()) ? 'unknown' : date.toISOString()
}

/** An instant (milliseconds since 1970) in UTC: `2026-11-21 08:19:31.800`. `–` for anything but an instant. */
export function formatTime(epochMs: number): string {
  const date = new Date(epochMs)
  return Number.isNaN(date.getTime()) ? '–' : date.toISOString().replace('T', ' ').replace('Z', '')
}

/** The same to the second: `2026-11-21 08:19:31`. */
export function formatClock(epochMs: number): string {
  return formatTime(epochMs).slice(0, 19)
}

const byteUnits = ['B', 'KB', 'MB', 'GB', 'TB'] as const
