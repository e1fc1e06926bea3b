// A line drawing of each product, on a square of 64. They take the colour of the text around them.

import { html, type SafeHtml } from '../../src/index.ts'

const drawings: ReadonlyMap<string, SafeHtml> = new Map([
  [
    'sunburst-fanlight',
    html`<path d="M6 48a26 26 0 0 1 52 0zM4 52h56M22 48a10 10 0 0 1 20 0" />
      <path
        d="M32 38V22M24.9 40.9 13.6 29.6M39.1 40.9l11.3-11.3M22.8 44.2 8 38M41.2 44.2 56 38M28.2 38.8l-6.1-14.8M35.8 38.8l6.1-14.8"
      />`,
  ],
  [
    'lion-knocker',
    html`<path
        d="M32 7A5 5 0 0 1 40.5 9.3A5 5 0 0 1 46.7 15.5A5 5 0 0 1 49 24A5 5 0 0 1 46.7 32.5A5 5 0 0 1 40.5 38.7A5 5 0 0 1 32 41A5 5 0 0 1 23.5 38.7A5 5 0 0 1 17.3 32.5A5 5 0 0 1 15 24A5 5 0 0 1 17.3 15.5A5 5 0 0 1 23.5 9.3A5 5 0 0 1 32 7z"
      />
      <path d="M22 19c1-7 19-7 20 0 1 6-1 9-3 12M25 31c-2-3-4-6-3-12M27 20.5h2M35 20.5h2M29.5 26h5L32 29z" />
      <path d="M32 29v2M26 33c1.5 2.5 4 1 6-2 2 3 4.5 4.5 6 2M25 33a13 13 0 1 0 14 0M28 36a8.5 8.5 0 1 0 8 0" />`,
  ],
  [
    'letter-plate',
    html`<path d="M6 20h52v24H6zM12 26h40v12H12z" />
      <path d="M12 29h40M9 32h.1M55 32h.1M24 38v7M40 38v7M22 20V10l22-2v12M27 13l12-1" />`,
  ],
  [
    'house-number',
    html`<path d="M12 10h40v44H12zM16 14h32v36H16z" />
      <path d="M22 26l5-4v20M35 26c1-5 9-5 9 0 0 4-9 9-9 16h9M32 11.9v.1M32 52v.1" />`,
  ],
  [
    'bell-pull',
    html`<path d="M32 6v20M26 6h12" />
      <path d="M22 44c3-3 3-8 3-12 0-5 3-7 7-7s7 2 7 7c0 4 0 9 3 12zM29 47a3 3 0 0 0 6 0" />
      <path d="M46 12c5 2 8 6 9 11M18 12c-5 2-8 6-9 11M32 50v4M28 54h8v5h-8z" />`,
  ],
  [
    'door-viewer',
    html`<path d="M32 14a18 18 0 1 0 0 36 18 18 0 0 0 0-36z" />
      <path d="M32 21a11 11 0 1 0 0 22 11 11 0 0 0 0-22zM32 27a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM26 26c2-2 3-2.6 5-3" />
      <path d="M6 32h5M53 32h5M32 6v4M32 54v4" />`,
  ],
  [
    'coir-mat',
    html`<path d="M10 20h44l6 26H4z" />
      <path d="M14 24h36l4 18H10zM19 30h26M17.5 36h29M8 46v4M16 46v4M24 46v4M32 46v4M40 46v4M48 46v4M56 46v4" />`,
  ],
  [
    'porch-lantern',
    html`<path d="M32 4v6M26 10h12l6 8H20zM20 18h24l-4 28H24zM22 46h20v6H22zM28 52l4 6 4-6" />
      <path d="M28 18l1 28M36 18l-1 28M32 38c4-3 2-7 0-10-2 3-4 7 0 10z" />`,
  ],
  [
    'sash-lift',
    html`<path d="M14 8h12v22c0 6-4 9-8 9M14 8v26M17 13h6M20 20h.1M18 39c-4 0-6-3-6-5" />
      <path d="M40 24h12v22c0 6-4 9-8 9M40 24v26M43 29h6M46 36h.1M44 55c-4 0-6-3-6-5" />`,
  ],
  [
    'draught-brush',
    html`<path d="M4 24h56v8H4zM12 28h.1M32 28h.1M52 28h.1" />
      <path d="M7 32v13M12 32v14M17 32v13M22 32v14M27 32v13M32 32v14M37 32v13M42 32v14M47 32v13M52 32v14M57 32v13" />`,
  ],
  [
    'key-cabinet',
    html`<path d="M12 8h40v48H12zM12 8l22 5v48l-22-5" />
      <path
        d="M30 36v4M40 18v2M47 18v2M40 32v2M47 32v2M40 20a2 2 0 1 0 .1 0M40 24v5h2M47 34a2 2 0 1 0 .1 0M47 38v5h2"
      />`,
  ],
  [
    'boot-scraper',
    html`<path d="M12 40h40M12 44h40M14 56V22c0-8-10-8-10-2 0 4 6 4 6 0M50 56V22c0-8 10-8 10-2 0 4-6 4-6 0" />
      <path d="M6 56h16M42 56h16M20 40l3-6M32 40v-7M44 40l-3-6" />`,
  ],
])

/** The drawing of a product; a plain frame for one that nobody has drawn yet. */
export function drawing(slug: string): SafeHtml {
  return html`<svg viewBox="0 0 64 64" aria-hidden="true" focusable="false">
    ${drawings.get(slug) ?? html`<path d="M10 10h44v44H10z" />`}
  </svg>`
}
