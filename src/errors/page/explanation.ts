// What explains an error on the page: hints, where values come from, and the places to change.

import { fold, prose } from '../../base/html/components.ts'
import { html, type SafeHtml, styleSheet } from '../../base/html/html.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import type { Hint } from '../hints/hint.ts'
import { maxHints } from '../hints/index.ts'
import { failedLine, type ChangeCandidate, type ValueOrigin } from '../value-origin.ts'
import { placeLink, type EditorLink } from '../../http/config/editor-link.ts'
import { countOf, type PageBudget, verbatim } from '../../base/html/page-budget.ts'
import { Drawn } from '../drawn.ts'
import { sourceList } from './source-list.ts'

/** One card for each hint; nothing without hints. */
export function hintCards(hints: readonly Hint[]): SafeHtml | null {
  if (hints.length === 0) return null
  return html`${hints.slice(0, maxHints).map(
    ({ title, text }) =>
      html`<div class="hint">
        <p class="hint-title">${verbatim(title, 300)}</p>
        <p class="verbatim" dir="auto">${prose(cutText(text, 2000))}</p>
      </div> `,
  )}`
}

const maxCandidates = 10
const candidatesInView = 3

/** `Change here`, most likely first; nothing but for the line that is marked below. */
export function candidateList(
  found: readonly ChangeCandidate[],
  editor: EditorLink | undefined,
  drawn: Drawn<SafeHtml> = new Drawn(),
): SafeHtml | null {
  const candidates = found.filter(({ why }) => why !== failedLine)
  if (candidates.length === 0) return null
  const item = ({ file, line, why }: ChangeCandidate): SafeHtml =>
    html`<li>${placeLink(cutText(`${file}:${line}`, 320), editor)} – ${prose(cutText(why, 500))}</li> `
  const items = candidates.slice(0, maxCandidates).map((one) => drawn.piece(one, '', () => item(one)))
  const more = items.slice(candidatesInView)
  return html`<div class="candidates">
    <p class="label">Change here</p>
    <ol>
      ${items.slice(0, candidatesInView)}
    </ol>
    ${
      more.length === 0
        ? null
        : fold(
            countOf(more.length, 'more place'),
            html`<ol>
              ${more}
            </ol>`,
            { className: 'small' },
          )
    }
  </div>`
}

interface OriginOptions {
  readonly editor?: EditorLink | undefined
  readonly budget: PageBudget
  readonly drawn?: Drawn<SafeHtml> | undefined
}

/** Definitions with their deciding lines marked; nothing without origins. */
export function originList(origins: readonly ValueOrigin[], options: OriginOptions): SafeHtml | null {
  if (origins.length === 0) return null
  const { budget, editor, drawn = new Drawn() } = options
  const item = (origin: ValueOrigin): SafeHtml => drawn.piece(origin, '', () => originItem(origin, editor))
  const items = budget.list(origins, (origin) => budget.spend(item(origin)), {
    maxItems: 12,
    rest: (missing) => html`<li class="muted">${countOf(missing, 'more value')} not shown.</li>`,
  })
  return html`<div class="origins">
    <p class="label">Where the values come from</p>
    <ul>
      ${items}
    </ul>
  </div>`
}

function originItem({ name, note, source }: ValueOrigin, editor: EditorLink | undefined): SafeHtml {
  const line = html`<b class="mono">${cutText(name, 200)}</b> <span>${prose(cutText(note, 500))}</span>`
  if (source === null) return html`<li><p class="origin-line">${line}</p></li> `
  const { file, parts, marked } = source
  const place = placeLink(cutText(`${file}:${marked[0] ?? source.line}`, 320), editor)
  return html`<li>
    <p class="origin-line">${line} <span class="place">${place}</span></p>
    ${parts.map((part) => sourceList(part, { line: marked[0] ?? 0, column: 0, alsoMarked: marked }))}
  </li> `
}

/** Comes after `themeStyles`. */
export const explanationStyles: SafeHtml = styleSheet(`
.label { font-size: .75rem; font-weight: 600; letter-spacing: .04em; text-transform: uppercase; color: var(--muted) }
.hint { margin: var(--space-1) var(--space-4) var(--space-2) 4.75rem; padding: .35rem var(--space-3); border-left: 3px solid var(--tone-edge);
  background: var(--tone-soft); border-radius: 0 var(--radius) var(--radius) 0; font-size: var(--size-small) }
.hint-title { font-weight: 600; color: var(--tone-ink) }
.source:has(+ .hint) { padding-bottom: 0 }
.hint + .source { padding-top: 0 }
.step-body > .hint { margin: var(--space-3) var(--space-4) }
.trace > .hint { margin: 0 0 var(--space-3) }
.candidates { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 var(--space-3); margin-bottom: var(--space-3); font-size: var(--size-small) }
.candidates ol { flex: 1 1 24rem }
.candidates li:first-child { font-weight: 600 }
.origins { padding: var(--space-2) 0; border-top: 1px solid var(--line) }
.origins > .label, .origin-line { padding: .2rem var(--space-4) }
.origin-line { display: flex; flex-wrap: wrap; gap: 0 var(--space-3); align-items: baseline; font-size: var(--size-small) }
.origins .source { padding: 0 0 var(--space-1) }
.origins .at { background: none }
.origins .source + .source { border-top: 1px dashed var(--line-strong) }
@media (max-width: 40rem) { .hint { margin-left: var(--space-3); margin-right: var(--space-3) } .candidates ol { flex-basis: 100% } }
`)
