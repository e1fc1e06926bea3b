// The fanlight: the half-round window over a door. It is the mark, the icon of a tab, and the drawing of where time went.

import { type Tone, formatDuration } from './components.ts'
import { html, trusted, trustedUrl, type SafeHtml, type TrustedUrl, styleSheet } from './html.ts'

const centre = 16
const outerRadius = 15
const innerRadius = 5.5

/** The mark, in the colour of the text around it. It says nothing to a screen reader: the name is next to it. */
export const brandMark: SafeHtml = trusted(
  `<svg class="brand-mark" viewBox="0 0 32 18" aria-hidden="true"><path d="M1 16a15 15 0 0 1 30 0zM10.5 16a5.5 5.5 0 0 1 11 0` +
    `M10.9 13.9 2.1 10.3M13.9 10.9 8.5 2.9M18.1 10.9l5.4-8M21.1 13.9l8.8-3.6"/></svg>`,
)

const iconColours: Readonly<Record<Tone, string>> = {
  neutral: '#6b7a90',
  info: '#2f7bd6',
  success: '#2b9a55',
  warning: '#d07a12',
  error: '#d6392e',
}

/** Icons of a page for `<link rel=icon>`: the panes in the colour of the status. A warning and an error miss a pane. */
export const favicons: Readonly<Record<Tone, TrustedUrl>> = {
  neutral: favicon('neutral'),
  info: favicon('info'),
  success: favicon('success'),
  warning: favicon('warning'),
  error: favicon('error'),
}

function favicon(tone: Tone): TrustedUrl {
  const missing = tone === 'error' ? 1 : tone === 'warning' ? 2 : -1
  const panes = [0, 1, 2].flatMap((at) => (at === missing ? [] : pane(at / 3, (at + 1) / 3))).join('')
  const drawing =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path transform="translate(0 7)" fill="${iconColours[tone]}" ` +
    `d="${panes}M12 16a4 4 0 0 1 8 0zM1 18h30v2H1z"/></svg>`
  return trustedUrl(`data:image/svg+xml,${drawing.replace(/[<>#"]/g, encodeURIComponent)}`)
}

interface TimeParts {
  /** Milliseconds that code of the request ran. */
  readonly ownMs: number
  /** Milliseconds for which the event loop ran other code; `null` where that was not measured. */
  readonly loopMs: number | null
  /** The other milliseconds. */
  readonly waitMs: number
}

/** Where the time went, from left to right: own code, waiting for the event loop, waiting for I/O. Says the three figures to a screen reader. */
export function timeGlyph({ ownMs, loopMs, waitMs }: TimeParts): SafeHtml {
  const totalMs = ownMs + (loopMs ?? 0) + waitMs
  const text = [
    `Own code ${formatDuration(ownMs)}`,
    ...(loopMs === null ? [] : [`waiting for the event loop ${formatDuration(loopMs)}`]),
    `waiting for I/O ${formatDuration(waitMs)}`,
  ].join(', ')
  let from = 0
  const sector = (className: string, ms: number): SafeHtml | null => {
    const part = totalMs > 0 ? Math.max(0, ms) / totalMs : 0
    const start = from
    from = Math.min(1, start + part)
    return part < 0.005 ? null : html`<path class="${className}" d="${pane(start, from)}" />`
  }
  return html`<svg class="time-glyph" viewBox="0 0 32 17" role="img" aria-label="${text}">
    ${sector('share-own', ownMs)}${sector('share-loop', loopMs ?? 0)}${sector('share-io', waitMs)}
  </svg>`
}

/** A ring's piece between two places of the half-circle, 0 on the left and 1 on the right, with a gap to its neighbours. */
function pane(from: number, to: number): string {
  const gap = Math.min(0.015, (to - from) / 4)
  const at = (place: number, radius: number): string => {
    const angle = Math.PI * (1 - place)
    return `${rounded(centre + radius * Math.cos(angle))} ${rounded(centre - radius * Math.sin(angle))}`
  }
  const [start, end] = [from + gap, to - gap]
  return (
    `M${at(start, innerRadius)}L${at(start, outerRadius)}A${outerRadius} ${outerRadius} 0 0 1 ${at(end, outerRadius)}` +
    `L${at(end, innerRadius)}A${innerRadius} ${innerRadius} 0 0 0 ${at(start, innerRadius)}Z`
  )
}

function rounded(number: number): number {
  return Math.round(number * 100) / 100
}

/** For every page and the toolbar. Own code is a full pane, the loop a full one in another colour, waiting clear glass. */
export const arcStyles: SafeHtml = styleSheet(`
.brand-mark { width: 2em; height: auto; flex: none; fill: none; stroke: currentColor; stroke-width: 1.6; stroke-linejoin: round }
.time-glyph { width: 2.3em; height: auto; flex: none; overflow: visible }
.share-own { --bar: light-dark(#23834f, #41b375) }
.share-loop { --bar: light-dark(#c9362c, #e0594e) }
.share-io { --bar: light-dark(#8793a6, #6d7a90) }
.time-glyph path { fill: var(--bar) }
.time-glyph .share-io { fill-opacity: .3; stroke: var(--bar); stroke-width: 1.5 }
@media (forced-colors: active) {
  .share-own { --bar: CanvasText }
  .share-loop { --bar: Highlight }
  .share-io { --bar: GrayText }
  .time-glyph { forced-color-adjust: none }
}
`)
