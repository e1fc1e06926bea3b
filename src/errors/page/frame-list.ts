// Draws the calls of one error as a list: own code stands alone, foreign code and what was shown above fold.

import { html } from '../../framework/html/html.ts'
import type { SafeHtml } from '../../framework/html/html.ts'
import type { Frame } from '../flattened-error.ts'
import { groupFrames } from './frame-groups.ts'
import type { FrameGroup } from './frame-groups.ts'
import { frameItem, packageOf } from './frame-item.ts'
import type { FrameOptions } from './frame-item.ts'
import { countOf, cutMark, cutText } from './page-budget.ts'

/** The error that this one caused: its calls need not be read twice. */
export interface OuterTrace {
  /** `[2/2] NotFoundHttpError`. */
  readonly name: string
  readonly frames: readonly Frame[]
}

const maxFrames = 100

/** The calls, innermost first, as a list; a sentence when the error has none. `outer` is the error above, which it caused. */
export function frameList(frames: readonly Frame[], outer: OuterTrace | null, options: FrameOptions): SafeHtml {
  if (frames.length === 0) return html`<p class="frames-none muted small">No call trace.</p>`
  const known = drawnLists.get(frames)
  if (known !== undefined && mayComeAgain(known, outer, options)) {
    options.budget.take(known.bytes)
    options.sourceBudget.take(known.sourceBytes)
    return known.list
  }
  const { budget, sourceBudget, editor } = options
  const start = { bytes: budget.left, source: sourceBudget.left }
  const list = drawList(frames, outer, options)
  const bytes = start.bytes - budget.left
  if (bytes < start.bytes) {
    const sourceBytes = start.source - sourceBudget.left
    drawnLists.set(frames, { list, outer, editor, bytes, sourceBytes, sourceLeft: start.source })
  }
  return list
}

/** A list as it was drawn, with nothing left out, and what it took. */
interface DrawnList {
  readonly list: SafeHtml
  readonly outer: OuterTrace | null
  readonly editor: FrameOptions['editor']
  readonly bytes: number
  readonly sourceBytes: number
  /** What was left for source when it was drawn: it decides which source is drawn short. */
  readonly sourceLeft: number
}

/** What was drawn last of the calls of a stack; a stack that comes again has the same list of calls. */
const drawnLists = new WeakMap<readonly Frame[], DrawnList>()

function mayComeAgain(
  known: DrawnList,
  outer: OuterTrace | null,
  { budget, sourceBudget, editor }: FrameOptions,
): boolean {
  if (known.editor !== editor || known.outer?.name !== outer?.name || known.outer?.frames !== outer?.frames)
    return false
  if (budget.left <= known.bytes) return false
  const hadSource = known.sourceBytes < known.sourceLeft
  return sourceBudget.left === known.sourceLeft || (hadSource && sourceBudget.left > known.sourceBytes)
}

function drawList(frames: readonly Frame[], outer: OuterTrace | null, options: FrameOptions): SafeHtml {
  const open = frames.find((frame) => frame.origin === 'own' && frame.excerpt !== null) ?? frames.find(hasExcerpt)
  const groups = groupFrames(frames.slice(0, maxFrames), outer?.frames)
  const items = options.budget.list(groups, (group) => groupItem(group, open, outer, options), {
    rest: (missing) => html`<li>${cutMark(`${countOf(missing, 'group')} of calls left out: the page is full.`)}</li>`,
  })
  const rest = frames.length - maxFrames
  return html`<ol class="frames">
    ${items}${rest > 0 ? html`<li>${cutMark(`${countOf(rest, 'more call')} left out.`)}</li>` : null}
  </ol>`
}

function groupItem(
  group: FrameGroup,
  open: Frame | undefined,
  outer: OuterTrace | null,
  options: FrameOptions,
): SafeHtml {
  if (group.kind === 'single') return frameItem(group.frame, open, options)
  const count = countOf(group.frames.length, 'call')
  switch (group.kind) {
    case 'foreign':
      return foldedFrames(`${count} in ${placesOf(group.frames)}`, group.frames, options)
    case 'shared':
      // Their source stands above already.
      return foldedFrames(
        `${count} as in ${outer?.name ?? 'the error above'}`,
        group.frames.map(withoutExcerpt),
        options,
      )
  }
}

function foldedFrames(summary: string, frames: readonly Frame[], options: FrameOptions): SafeHtml {
  return html`<li>
    <details class="fold run">
      <summary>${cutText(summary, 300)}</summary>
      <ol class="frames">
        ${options.budget.list(frames, (frame) => frameItem(frame, undefined, options), { rest: restOfCalls })}
      </ol>
    </details>
  </li> `
}

function placesOf(frames: readonly Frame[]): string {
  const places = [...new Set(frames.map(packageOf))]
  return places.length > 4 ? `${places.slice(0, 4).join(', ')} and ${places.length - 4} more` : places.join(', ')
}

function hasExcerpt(frame: Frame): boolean {
  return frame.excerpt !== null
}

function withoutExcerpt(frame: Frame): Frame {
  return { ...frame, excerpt: null }
}

function restOfCalls(missing: number): SafeHtml {
  return html`<li>${cutMark(`${countOf(missing, 'more call')} left out: the page is full.`)}</li>`
}
