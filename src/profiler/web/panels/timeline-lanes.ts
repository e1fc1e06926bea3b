// The axis of a timeline, and bars on it.

import { html, type SafeHtml } from '../../../framework/html/html.ts'

export interface LanePiece {
  readonly fromMs: number
  readonly forMs: number
  readonly title?: string
  readonly href?: string | null
}

/** The axis that all rows share. */
export interface Grid {
  /** Names its lines in the page; `null` where a style draws them: a thousand copies of them are slow. */
  readonly id: string | null
  readonly totalMs: number
}

/** Percent of the lane for the whole time; the rest is for text to the right of a bar. */
export const scale = 85

/** The first lane: ticks, and the lines below them. */
export function axis({ id, totalMs }: Grid): SafeHtml {
  const ticks = ticksOf(totalMs)
  return html`<svg class="lane axis" aria-hidden="true">
    ${
      id === null
        ? null
        : html`<g id="${id}" class="grid">
            ${ticks.map((ms) => html`<line x1="${percent(ms, totalMs)}" x2="${percent(ms, totalMs)}" y2="100%" />`)}
          </g>`
    }
    ${ticks.map((ms) => html`<text x="${percent(ms, totalMs)}" dx="3" y="12">${tickText(ms)}</text>`)}
  </svg>`
}

/** At most six steps of 1, 2 or 5, from 0. */
function ticksOf(totalMs: number): readonly number[] {
  if (!(totalMs > 0 && Number.isFinite(totalMs))) return [0]
  const least = totalMs / 6
  const power = 10 ** Math.floor(Math.log10(least))
  const step = ([1, 2, 5].find((factor) => factor * power >= least) ?? 10) * power
  return Array.from({ length: Math.floor(totalMs / step) + 1 }, (_, index) => index * step)
}

/** Distance of the lines in percent of a lane, for a style. */
export function tickPercent(totalMs: number): string {
  return percent(ticksOf(totalMs)[1] ?? totalMs, totalMs)
}

function tickText(ms: number): string {
  return ms >= 1000 ? `${Number((ms / 1000).toPrecision(3))} s` : `${Number(ms.toPrecision(3))} ms`
}

function percent(ms: number, totalMs: number): string {
  const place = totalMs > 0 ? Math.min(Math.max(ms / totalMs, 0), 1) : 0
  return `${(place * scale).toFixed(2)}%`
}

/** What ends behind this part of the time has no room for words on a phone. */
export const late = 0.6
/** Percent of a bar that can be seen. */
export const least = 0.2

/** Bars of one row, and beside the last what is to be said of them. Pieces that lead somewhere are links. */
export function laneBar(pieces: readonly LanePiece[], grid: Grid, className: string, said: string): SafeHtml {
  const endMs = pieces.reduce((latest, { fromMs, forMs }) => Math.max(latest, fromMs + forMs), 0)
  return html`<svg class="lane ${className}">
    ${grid.id === null ? null : html`<use href="#${grid.id}" />`}
    ${pieces.map((one) => lanePiece(one, grid.totalMs))}${said === '' ? null : html`<text class="${endMs > grid.totalMs * late ? 'late' : ''}" data-end="${endMs.toFixed(3)}" x="${percent(endMs, grid.totalMs)}" dx="6" y="12">${said}</text>`}
  </svg>`
}

function lanePiece({ fromMs, forMs, title, href = null }: LanePiece, totalMs: number): SafeHtml {
  const left = Math.max(fromMs, 0)
  const width = Math.max(Number.parseFloat(percent(Math.min(fromMs + forMs, totalMs) - left, totalMs)), least)
  const drawn = html`<rect
    data-from="${fromMs.toFixed(3)}"
    data-for="${forMs.toFixed(3)}"
    x="${percent(left, totalMs)}"
    y="4"
    width="${width}%"
    height="9"
  />`
  const named = title === undefined ? drawn : html`<g><title>${title}</title>${drawn}</g>`
  return href === null ? named : html`<a href="${href}" aria-label="${title ?? ''}">${named}</a>`
}
