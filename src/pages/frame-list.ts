// Draws the calls of one error: own code unfolds its source, runs of foreign calls fold into one line with their count.

import { html, trustedUrl } from '../html/html.ts'
import type { SafeHtml } from '../html/html.ts'
import type { Frame } from '../errors/flattened-error.ts'
import { countOf, cutMark, cutText } from './page-budget.ts'
import type { PageBudget } from './page-budget.ts'
import { sourceList } from './source-list.ts'

/** Address that opens a place in the reader's editor (`vscode://file/…`), or `null`. Only asked for own code. */
export type EditorLink = (file: string, line: number, column: number) => string | null

/** What the frames of one trace share. */
export interface FrameListOptions {
  /** Bytes of the whole section. */
  readonly budget: PageBudget
  /** Bytes for highlighted source; when they are spent, source is drawn short and plain. */
  readonly sourceBudget: PageBudget
  readonly editor?: EditorLink | undefined
}

const maxFrames = 100
const closedRadius = 4
const shortRadius = 2

/** The calls, innermost first, as a list; a sentence when the error has none. */
export function frameList(frames: readonly Frame[], options: FrameListOptions): SafeHtml {
  if (frames.length === 0) return html`<p class="frames-none muted small">No call trace.</p>`
  const open =
    frames.find((frame) => frame.origin === 'own' && frame.excerpt !== null) ??
    frames.find((frame) => frame.excerpt !== null)
  const groups = groupFrames(frames.slice(0, maxFrames))
  const items = options.budget.list(
    groups,
    (group) => (group.length === 1 ? frameItem(group[0] as Frame, open, options) : frameRun(group, options)),
    {
      rest: (missing) => html`<li>${cutMark(`${countOf(missing, 'group')} of calls left out: the page is full.`)}</li>`,
    },
  )
  const rest = frames.length - maxFrames
  return html`<ol class="frames">
    ${items}${rest > 0 ? html`<li>${cutMark(`${countOf(rest, 'more call')} left out.`)}</li>` : null}
  </ol>`
}

// Neighbouring foreign frames make one group, so that own code stands out; without own code the first three stay.
function groupFrames(frames: readonly Frame[]): readonly (readonly Frame[])[] {
  const hasOwn = frames.some((frame) => frame.origin === 'own')
  const groups: Frame[][] = []
  for (const [index, frame] of frames.entries()) {
    const group = groups.at(-1)
    const isForeign = frame.origin !== 'own' && (hasOwn || index >= 3)
    const joins = isForeign && group !== undefined && group[0]?.origin !== 'own' && (hasOwn || index > 3)
    if (joins) group.push(frame)
    else groups.push([frame])
  }
  return groups
}

function frameRun(frames: readonly Frame[], options: FrameListOptions): SafeHtml {
  const places = [...new Set(frames.map(packageOf))]
  const names = places.length > 4 ? `${places.slice(0, 4).join(', ')} and ${places.length - 4} more` : places.join(', ')
  return html`<li>
    <details class="fold run">
      <summary>${countOf(frames.length, 'call')} in ${cutText(names, 200)}</summary>
      <ol class="frames">
        ${options.budget.list(frames, (frame) => frameItem(frame, undefined, options), { rest: restOfCalls })}
      </ol>
    </details>
  </li> `
}

function frameItem(frame: Frame, open: Frame | undefined, options: FrameListOptions): SafeHtml {
  return options.budget.spend(drawFrame(frame, open, options))
}

function restOfCalls(missing: number): SafeHtml {
  return html`<li>${cutMark(`${countOf(missing, 'more call')} left out: the page is full.`)}</li>`
}

function drawFrame(frame: Frame, open: Frame | undefined, options: FrameListOptions): SafeHtml {
  const line = frameLine(frame)
  if (frame.excerpt === null) return html`<li class="frame ${frame.origin}"><p class="frame-line">${line}</p></li> `
  const source = frameSource(frame, frame === open, options)
  if (frame !== open) {
    return html`<li class="frame ${frame.origin}">
      <details class="fold">
        <summary class="frame-line">${line}</summary>
        ${source}
      </details>
    </li> `
  }
  return html`<li class="frame ${frame.origin}">
    <details class="fold" open>
      <summary class="frame-line">${line}</summary>
      ${source}
    </details>
  </li> `
}

function frameLine(frame: Frame): SafeHtml {
  const name = cutText(frame.functionName ?? '(top level)', 200)
  return html`<span class="call">${frame.isAsync ? html`<span class="muted">async </span>` : null}${name}</span>
    <code class="place">${framePlace(frame)}</code>${originMark(frame)}`
}

/** `app/main.ts:12:5`; without figures where there is no line, as for what Node runs itself. */
export function framePlace(frame: Frame): string {
  const file = cutText(frame.file, 300)
  return frame.line > 0 ? `${file}:${frame.line}:${frame.column}` : file
}

function originMark(frame: Frame): SafeHtml | null {
  return frame.origin === 'own' ? null : html`<span class="origin">${cutText(packageOf(frame), 60)}</span>`
}

function frameSource(frame: Frame, isOpen: boolean, options: FrameListOptions): SafeHtml {
  if (frame.excerpt === null) return html``
  const isHighlighted = isOpen || !options.sourceBudget.isSpent
  const source = options.sourceBudget.spend(
    sourceList(frame.excerpt, {
      line: frame.line,
      column: frame.column,
      isHighlighted,
      radius: isOpen ? 7 : isHighlighted ? closedRadius : shortRadius,
    }),
  )
  return html`${source}${editorLine(frame, options.editor)}`
}

const scriptScheme = /^\s*(?:javascript|data|vbscript|blob):/i

function editorLine(frame: Frame, editor: EditorLink | undefined): SafeHtml | null {
  const address = frame.origin === 'own' ? (editor?.(frame.file, frame.line, frame.column) ?? null) : null
  if (address === null || scriptScheme.test(address)) return null
  return html`<p class="editor screen-only"><a href="${trustedUrl(address)}">Open in editor</a></p>`
}

/** Where foreign code is from: `express`, `@scope/name`, `node`, `foreign code`. */
function packageOf(frame: Frame): string {
  if (frame.origin === 'node') return 'node'
  const inPackages = frame.file.lastIndexOf('node_modules/')
  if (inPackages < 0) return 'foreign code'
  const [first = '', second = ''] = frame.file.slice(inPackages + 'node_modules/'.length).split('/')
  return first.startsWith('@') ? `${first}/${second}` : first
}
