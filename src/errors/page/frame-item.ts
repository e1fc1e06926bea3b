// Renders one frame: a line, and its source if it may be read.

import { html, type SafeHtml } from '../../framework/html/html.ts'
import { cutText } from '../../framework/redact/cut-text.ts'
import { changeMark, framePlace, repeatsText } from '../trace-lines.ts'
import type { Frame, SourceExcerpt } from '../flattened-error.ts'
import { libraryName } from '../frame-file.ts'
import { placeLink, type EditorLink } from './editor-link.ts'
import type { PageBudget } from './page-budget.ts'
import { sourceList } from './source-list.ts'

export interface FrameOptions {
  /** Bytes of the whole section. */
  readonly budget: PageBudget
  /** Bytes for highlighted source; after that, source is short and plain. */
  readonly sourceBudget: PageBudget
  readonly editor?: EditorLink | undefined
  /** Places whose source is on the page already. */
  readonly shown: Set<string>
}

/** Lines before and after: of the frame in sight, of folded ones, and when the bytes for source are spent. */
const [leadRadius, otherRadius, shortRadius] = [7, 3, 2]

interface LeadOptions extends FrameOptions {
  /** Shown below the marked line. */
  readonly note: SafeHtml | null
  /** Whether it is in sight at first. */
  readonly isInSight: boolean
}

/** The frame an error leads with: its place and its source. */
export function leadFrame(frame: Frame, options: LeadOptions): SafeHtml {
  const { excerpt } = frame
  const { note, isInSight } = options
  const look = { radius: isInSight ? leadRadius : otherRadius, note }
  const code = excerpt === null ? note : frameSource(frame, excerpt, look, options)
  return options.budget.spend(
    html`<div class="lead">
      <p class="frame-line own">${frameLine(frame, options.editor)}</p>
      ${code}
    </div>`,
  )
}

/** A frame of the stack trace, folded. Source that is on the page already is not shown again. */
export function frameItem(frame: Frame, options: FrameOptions): SafeHtml {
  const { excerpt, origin } = frame
  if (excerpt === null || options.shown.has(framePlace(frame)))
    return options.budget.spend(html`<li class="frame-line ${origin}">${frameLine(frame, options.editor)}</li> `)
  const isHighlighted = !options.sourceBudget.isSpent
  const radius = isHighlighted ? otherRadius : shortRadius
  // The place is next to the summary: nothing to click may be inside one.
  return options.budget.spend(
    html`<li class="frame ${origin}">
      ${placeOf(frame, options.editor)}
      <details class="fold">
        <summary class="frame-line">${callOf(frame)}</summary>
        ${frameSource(frame, excerpt, { radius, isHighlighted }, options)}
      </details>
    </li> `,
  )
}

function frameSource(
  frame: Frame,
  excerpt: SourceExcerpt,
  look: { readonly radius: number; readonly isHighlighted?: boolean; readonly note?: SafeHtml | null },
  options: FrameOptions,
): SafeHtml {
  options.shown.add(framePlace(frame))
  const list = options.sourceBudget.spend(sourceList(excerpt, { line: frame.line, column: frame.column, ...look }))
  const mark = changeMark(excerpt)
  return html`${list}${mark === null ? null : html`<p class="changed-file">${mark}</p>`}`
}

function frameLine(frame: Frame, editor: EditorLink | undefined): SafeHtml {
  return html`${callOf(frame)} ${placeOf(frame, editor)}`
}

function callOf(frame: Frame): SafeHtml {
  const name = cutText(frame.functionName ?? '(anonymous)', 200)
  return html`<span class="call">${frame.isAsync ? html`<span class="muted">async </span>` : null}${name}</span>${
      frame.repeats === undefined ? null : html` <span class="muted">${repeatsText(frame.repeats)}</span>`
    }`
}

function placeOf(frame: Frame, editor: EditorLink | undefined): SafeHtml {
  const text = cutText(framePlace(frame), 320)
  return frame.origin === 'own'
    ? html`<span class="place">${placeLink(text, editor)}</span>`
    : html`<span class="place"><code>${text}</code> <span class="origin">${cutText(packageOf(frame), 60)}</span></span>`
}

/** Origin of foreign code: `express`, `@scope/name`, `fanlight`, `node`, `foreign code`. */
export function packageOf(frame: Frame): string {
  if (frame.origin === 'node') return 'node'
  if (frame.file.startsWith(`${libraryName}/`)) return libraryName
  const inPackages = frame.file.lastIndexOf('node_modules/')
  if (inPackages < 0) return 'foreign code'
  const [first = '', second = ''] = frame.file.slice(inPackages + 'node_modules/'.length).split('/')
  return first.startsWith('@') ? `${first}/${second}` : first
}
