// The look of the shop, light and dark, from a phone to a desk. The library's own pages have their own look.

import { html, type SafeHtml } from '../../src/index.ts'

/**
 * SHA-256 of what is in the element, by which the policy of a page names it. A constant, because computing it takes
 * `node:crypto`, 2 MB and 4 ms of every start; a test holds it to the styles.
 */
export const shopStylesHash = 'Hm2XLZXiFydlF+OyBl3R6+11TFxR7tugm+Zs7OqUJp0='

/** The style sheet. */
// oxfmt-ignore
export const shopStyles: SafeHtml = html`<style>
    :root {
      color-scheme: light dark;
      --ground: light-dark(#faf7f1, #121715);
      --surface: light-dark(#fffdf9, #1a211e);
      --sunk: light-dark(#f0ebe0, #0e1311);
      --line: light-dark(#e0d8c8, #2e3833);
      --edge: light-dark(#85796a, #75857c);
      --ink: light-dark(#1d2521, #e7ece8);
      --quiet: light-dark(#5d645c, #a3b0a8);
      --door: light-dark(#185443, #83cfb1);
      --door-ink: light-dark(#fff, #0c1a15);
      --brass: light-dark(#8c5b00, #e2b45c);
      --warn: light-dark(#fdf0d5, #33280f);
      --bad: light-dark(#a1261b, #ff9d90);
      --serif: Charter, 'Iowan Old Style', 'Palatino Linotype', Palatino, Georgia, serif;
      --mono: ui-monospace, 'SF Mono', Menlo, Consolas, 'Liberation Mono', monospace;
    }
    *, ::before, ::after { box-sizing: border-box }
    body {
      margin: 0; background: var(--ground); color: var(--ink);
      font: 1rem/1.55 system-ui, 'Segoe UI', Roboto, sans-serif; overflow-wrap: anywhere;
    }
    h1, h2, h3, p, ul, ol, dl, dd, figure, pre { margin: 0; padding: 0 }
    h1, h2, h3 { font-family: var(--serif); font-weight: 600; line-height: 1.15; text-wrap: balance }
    h1 { font-size: clamp(1.9rem, 1.3rem + 2.6vw, 3.1rem); letter-spacing: -0.01em }
    h2 { font-size: clamp(1.3rem, 1.1rem + 0.8vw, 1.7rem) }
    h3 { font-size: 1.12rem }
    ul, ol { list-style: none }
    a { color: var(--door); text-underline-offset: 0.2em; text-decoration-thickness: 1px }
    a:hover { text-decoration-thickness: 2px }
    code, pre { font-family: var(--mono); font-size: 0.86em }
    pre {
      padding: 0.7rem 0.9rem; background: var(--sunk); border: 1px solid var(--line); border-radius: 4px;
      white-space: pre-wrap;
    }
    :focus-visible { outline: 2px solid var(--brass); outline-offset: 3px; border-radius: 2px }
    svg { fill: none; stroke: currentColor; stroke-width: 1.5; stroke-linecap: round; stroke-linejoin: round }
    .page { width: min(70rem, 100% - 2.5rem); margin-inline: auto }
    .row { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1.5rem }
    .skip { position: absolute; left: 1rem; top: -4rem; padding: 0.5rem 1rem; background: var(--surface); z-index: 1 }
    .skip:focus { top: 0.5rem }
    .visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
    .masthead { border-bottom: 1px solid var(--line); background: var(--surface); padding: 0.8rem 0 }
    .brand {
      display: inline-flex; align-items: center; gap: 0.6rem; font: 600 1.2rem/1.2 var(--serif); color: var(--ink);
      text-decoration: none;
    }
    .brand svg { width: 2.6rem; color: var(--brass) }
    nav { display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; margin-right: auto }
    nav a { color: var(--ink); text-decoration: none; padding: 0.3rem 0; border-bottom: 2px solid transparent }
    nav a:hover, nav a[aria-current='page'] { border-color: var(--brass) }
    .count {
      display: inline-block; min-width: 1.5em; padding: 0 0.35em; border-radius: 1em; background: var(--door);
      color: var(--door-ink); font-size: 0.75em; text-align: center;
    }
    .currency { display: flex; align-items: center; gap: 0.5rem; font-size: 0.9rem }
    select, input, button, .button {
      font: inherit; font-size: 0.95rem; min-height: 2.4rem; padding: 0.3rem 0.7rem; color: var(--ink);
      background: var(--surface); border: 1px solid var(--edge); border-radius: 4px;
    }
    button, .button { display: inline-flex; align-items: center; cursor: pointer; text-decoration: none }
    button:hover, .button:hover { border-color: var(--door); color: var(--door) }
    .main-action, .main-action:hover {
      background: var(--door); border-color: var(--door); color: var(--door-ink); font-weight: 600;
    }
    .main-action:hover { filter: brightness(1.12) }
    .notice {
      margin-top: 1.2rem; padding: 0.6rem 0.9rem; background: var(--warn); border-left: 3px solid var(--brass);
    }
    .problem { border-color: var(--bad) }
    main { padding: clamp(1.5rem, 4vw, 3rem) 0; min-height: 60vh }
    main > * + * { margin-top: clamp(1.5rem, 4vw, 2.75rem) }
    .lead { font-size: 1.15rem; max-width: 40rem; color: var(--quiet); margin-top: 0.8rem; text-wrap: pretty }
    .quiet { color: var(--quiet) }
    .small { font-size: 0.88rem }
    .price { font-variant-numeric: tabular-nums; font-weight: 600; white-space: nowrap }
    .shelf { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr)); gap: 1.25rem }
    .card {
      position: relative; display: flex; flex-direction: column; background: var(--surface);
      border: 1px solid var(--line); border-radius: 6px; overflow: hidden;
    }
    .card:hover { border-color: var(--edge) }
    .card .picture { background: var(--sunk); color: var(--door) }
    .card .picture svg { display: block; width: 8rem; margin: 1.2rem auto }
    .card .text { display: flex; flex-direction: column; gap: 0.4rem; padding: 1rem 1.1rem 1.1rem; flex: 1 }
    .card .price { margin-top: auto; padding-top: 0.4rem }
    .card h2, .card h3 { font-size: 1.12rem }
    .card h2 a::after, .card h3 a.whole::after { content: ''; position: absolute; inset: 0 }
    .card h2 a { color: inherit; text-decoration: none }
    .card:focus-within { outline: 2px solid var(--brass); outline-offset: 3px }
    .card h2 a:focus-visible { outline: 0 }
    .product {
      display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); gap: clamp(1.5rem, 4vw, 3.5rem);
      align-items: start;
    }
    .product .picture {
      display: grid; place-items: center; aspect-ratio: 1; background: var(--sunk); border: 1px solid var(--line);
      border-radius: 6px; color: var(--door);
    }
    .product .picture svg { width: 62%; stroke-width: 1 }
    .product .price { font: 600 1.8rem/1.2 var(--serif) }
    .stack > * + * { margin-top: 1.1rem }
    .order { display: flex; flex-wrap: wrap; gap: 0.6rem; align-items: center }
    .order input { width: 4.5rem }
    table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums }
    .scroll { overflow-x: auto }
    th, td {
      padding: 0.6rem 0.8rem 0.6rem 0; text-align: left; vertical-align: top; border-top: 1px solid var(--line);
    }
    thead th { border: 0; font-size: 0.85rem; font-weight: 600; color: var(--quiet) }
    tfoot th, tfoot td { border-top: 2px solid var(--edge); font-weight: 600 }
    .number { text-align: right; white-space: nowrap }
    th:last-child, td:last-child { padding-right: 0 }
    .tries { columns: 3 20rem; column-gap: 1.25rem }
    .try {
      break-inside: avoid; margin-bottom: 1.25rem; padding: 1.1rem 1.2rem; background: var(--surface);
      border: 1px solid var(--line); border-radius: 6px;
    }
    .try li { padding: 0.55rem 0; border-top: 1px solid var(--line) }
    .try ul { margin-top: 0.7rem }
    .try li form { display: inline }
    .try button { min-height: 0; padding: 0.1rem 0.55rem; font: 0.86em/1.6 var(--mono) }
    .try p { margin-top: 0.3rem; font-size: 0.88rem; color: var(--quiet) }
    .footer {
      padding: 1.5rem 0 2.5rem; border-top: 1px solid var(--line); display: flex; flex-wrap: wrap; gap: 0.4rem 2rem;
      justify-content: space-between; font-size: 0.88rem; color: var(--quiet);
    }
    @media (max-width: 44rem) {
      .page { width: calc(100% - 1.75rem) }
      .product { grid-template-columns: minmax(0, 1fr) }
      .product .picture { aspect-ratio: 16 / 10 }
      .product .picture svg { width: auto; height: 75% }
      nav { order: 3; width: 100% }
      .calls thead { display: none }
      .calls tr { display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; padding: 0.6rem 0; border-top: 1px solid var(--line) }
      .calls th, .calls td { padding: 0; border: 0 }
      .calls th { width: 100%; overflow-wrap: anywhere }
      .calls [data-unit]::after { content: ' ' attr(data-unit) }
    }
    @media print {
      .masthead form, nav, .skip { display: none }
    }
  </style>`
