// Design tokens: every colour, size and font of the pages as a CSS custom property, for light and dark. `light-dark()`
// follows the system, or the reader's own choice in `data-theme`.

import { styleSheet } from '../style-sheet.ts'
import type { SafeHtml } from '../html.ts'

/** Custom properties on `:root`, and one class per tone that sets `--tone-band`, `--tone-ink`, `--tone-soft`, `--tone-edge`. */
export const tokenStyles: SafeHtml = styleSheet(`
:root {
  color-scheme: light dark;
  --font: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  --mono: ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace;
  --size-small: .8125rem;
  --size: .9375rem;
  --size-large: 1.125rem;
  --size-message: clamp(1.3rem, .95rem + 1.4vw, 1.9rem);
  --space-1: .25rem;
  --space-2: .5rem;
  --space-3: .75rem;
  --space-4: 1rem;
  --space-6: 1.5rem;
  --space-8: 2.25rem;
  --radius: 6px;
  --page-width: 76rem;
  --ground: light-dark(#f5f6f8, #11141a);
  --surface: light-dark(#fff, #191d25);
  --raised: light-dark(#eceff3, #232934);
  --line: light-dark(#dfe3e9, #2c3340);
  --line-strong: light-dark(#b9c1cc, #465062);
  --text: light-dark(#171c26, #e5e9f0);
  --muted: light-dark(#566072, #9ca7b8);
  --link: light-dark(#1b57b5, #8ab8ff);
  --focus: light-dark(#1b57b5, #9cc3ff);
  --mark: light-dark(#fff1b8, #3d3312);
  --mark-edge: light-dark(#c28a00, #e3b341);
  --code-kwd: light-dark(#a3134f, #ff8fab);
  --code-str: light-dark(#1c6432, #8fd6a0);
  --code-num: light-dark(#874200, #f0b072);
  --code-cmnt: light-dark(#5f6875, #a3adbc);
  --code-func: light-dark(#6135b3, #c8a9ff);
  --code-type: light-dark(#0f5f74, #7cd0e6);
  --code-oper: light-dark(#4a5467, #b3bdcc);
  --code-insert: light-dark(#1c6432, #8fd6a0);
  --code-deleted: light-dark(#b3221a, #ff9c92);
}
[data-theme=light] { color-scheme: light }
[data-theme=dark] { color-scheme: dark }
:root, .tone-neutral {
  --tone-band: light-dark(#434c5c, #363f4d);
  --tone-ink: light-dark(#4a5467, #b3bdcc);
  --tone-soft: var(--raised);
  --tone-edge: var(--line-strong);
}
.tone-info {
  --tone-band: light-dark(#1b5796, #17467b);
  --tone-ink: light-dark(#1b5796, #8ab8ff);
  --tone-soft: light-dark(#e6f0fb, #172a42);
  --tone-edge: light-dark(#1b5796, #4b8fdc);
}
.tone-success {
  --tone-band: light-dark(#1b6b3b, #16562f);
  --tone-ink: light-dark(#1b6b3b, #83d69d);
  --tone-soft: light-dark(#e3f4e9, #15301f);
  --tone-edge: light-dark(#1b6b3b, #3fa564);
}
.tone-warning {
  --tone-band: light-dark(#9c4a00, #743d04);
  --tone-ink: light-dark(#8a4b00, #f2b366);
  --tone-soft: light-dark(#fdf0dc, #372812);
  --tone-edge: light-dark(#b86a0b, #d08a35);
}
.tone-error {
  --tone-band: light-dark(#ad2118, #8a1c15);
  --tone-ink: light-dark(#ad2118, #ff9c92);
  --tone-soft: light-dark(#fdebe9, #3d1b19);
  --tone-edge: light-dark(#c9362c, #e0594e);
}
`)
