// Renders one frame: a line, and its source if it may be read.

import { html, trustedUrl } from '../../framework/html/html.ts'
import type { SafeHtml } from '../../framework/html/html.ts'
import { cutText } from '../../framework/redact/cut-text.ts'
import { changeMark, framePlace, repeatsText } from '../trace-lines.ts'
import type { Frame } from '../flattened-error.ts'
import { libraryName } from '../frame-file.ts'
import type { PageBudget } from './page-budget.ts'
import { sourceList } from './source-list.ts'

/** Address that opens a place in the reader's editor (`vscode://file/…`), or `null`. Only called for own code. */
export type EditorLink = (file: string, line: number, column: number) => string | null

export interface FrameOptions {
  /** Bytes of the whole section. */
  readonly budget: PageBudget
  /** Bytes for highlighted source; after that, source is short and plain. */
  readonly sourceBudget: PageBudget
  readonly editor?: EditorLink | undefined
}

/** `open` is the frame whose source is unfolded. */
export function frameItem(frame: Frame, open: Frame | undefined, options: FrameOptions): SafeHtml {
  const { excerpt, origin } = frame
  if (excerpt === null)
    return options.budget.spend(html`<li class="frame ${origin}"><p class="frame-line">${frameLine(frame)}</p></li> `)
  const isOpen = frame === open
  const isHighlighted = isOpen || !options.sourceBudget.isSpent
  const list = sourceList(excerpt, {
    line: frame.line,
    column: frame.column,
    isHighlighted,
    radius: isOpen ? openRadius : isHighlighted ? closedRadius : shortRadius,
  })
  options.sourceBudget.spend(list)
  const mark = changeMark(excerpt)
  const note = mark === null ? null : html`<p class="changed-file">${mark}</p>`
  const editor = editorLine(frame, options.editor)
  const fold = isOpen
    ? html`<details class="fold" open>
        <summary class="frame-line">${frameLine(frame)}</summary>
        ${list}${note}${editor}
      </details>`
    : html`<details class="fold">
        <summary class="frame-line">${frameLine(frame)}</summary>
        ${list}${note}${editor}
      </details>`
  return options.budget.spend(html`<li class="frame ${origin}">${fold}</li> `)
}

/** Lines before and after: of the open frame, of others, and when the bytes for source are spent. */
const [openRadius, closedRadius, shortRadius] = [7, 4, 2]

function frameLine(frame: Frame): SafeHtml {
  const name = cutText(frame.functionName ?? '(anonymous)', 200)
  return html`<span class="call">${frame.isAsync ? html`<span class="muted">async </span>` : null}${name}</span>
    <code class="place">${cutText(framePlace(frame), 320)}</code>${originMark(frame)}${
      frame.repeats === undefined ? null : html` <span class="muted">${repeatsText(frame.repeats)}</span>`
    }`
}

function originMark(frame: Frame): SafeHtml | null {
  return frame.origin === 'own' ? null : html`<span class="origin">${cutText(packageOf(frame), 60)}</span>`
}

const scriptScheme = /^\s*(?:javascript|data|vbscript|blob):/i

function editorLine(frame: Frame, editor: EditorLink | undefined): SafeHtml | null {
  const address = frame.origin === 'own' ? (editor?.(frame.file, frame.line, frame.column) ?? null) : null
  if (address === null || scriptScheme.test(address)) return null
  return html`<p class="editor screen-only"><a href="${trustedUrl(address)}">Open in editor</a></p>`
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
