// The frames of one error. Library frames are folded; frames shared with the error above are counted.

import { fold } from '../../framework/html/components.ts'
import { html, type SafeHtml } from '../../framework/html/html.ts'
import { cutText } from '../../framework/redact/cut-text.ts'
import type { Frame } from '../flattened-error.ts'
import { frameItem, packageOf, type FrameOptions } from './frame-item.ts'
import { countOf, cutMark } from './page-budget.ts'

/** The error that this one caused. Frames that both share are shown there. */
export interface OuterTrace {
  /** `[2/2] NotFoundHttpError`. */
  readonly name: string
  readonly frames: readonly Frame[]
}

const maxFrames = 100

/**
 * The frames, innermost first, without the first one if it is `lead`, which is above with its source; a sentence if there are
 * none. `outer` is the error above, which this one caused.
 */
export function frameList(
  frames: readonly Frame[],
  outer: OuterTrace | null,
  options: FrameOptions & { readonly lead?: Frame | undefined },
): SafeHtml | null {
  if (frames.length === 0) return html`<p class="frames-none muted small">No stack trace.</p>`
  const all = groupFrames(frames.slice(0, maxFrames), outer?.frames)
  const groups = options.lead === frames[0] ? all.slice(1) : all
  if (groups.length === 0) return null
  const items = options.budget.list(groups, (group) => groupItem(group, outer, options), {
    rest: (missing) =>
      html`<li>${cutMark(`${countOf(missing, 'more group')} of frames not shown: the page is full.`)}</li>`,
  })
  const rest = frames.length - maxFrames
  return html`<ol class="frames" aria-label="Stack trace">
    ${items}${rest > 0 ? html`<li>${cutMark(`${countOf(rest, 'more frame')} not shown.`)}</li>` : null}
  </ol>`
}

function groupItem(group: FrameGroup, outer: OuterTrace | null, options: FrameOptions): SafeHtml {
  if (group.kind === 'single') return frameItem(group.frame, options)
  const count = countOf(group.frames.length, 'frame')
  if (group.kind === 'shared')
    return options.budget.spend(
      html`<li class="frame-line muted">
        ${cutText(`${count} shared with ${outer?.name ?? 'the error above'}`, 300)}
      </li> `,
    )
  const items = options.budget.list(group.frames, (frame) => frameItem(frame, options), { rest: restOfFrames })
  const title = cutText(`${count} in ${placesOf(group.frames)}`, 300)
  return html`<li>
    ${fold(
      title,
      html`<ol class="frames">
        ${items}
      </ol>`,
      { className: 'run' },
    )}
  </li> `
}

function placesOf(frames: readonly Frame[]): string {
  const places = [...new Set(frames.map(packageOf))]
  return places.length > 4 ? `${places.slice(0, 4).join(', ')} and ${places.length - 4} more` : places.join(', ')
}

function restOfFrames(missing: number): SafeHtml {
  return html`<li>${cutMark(`${countOf(missing, 'more frame')} not shown: the page is full.`)}</li>`
}

/** One frame, or neighbours that are foreign code or also in the error above. */
type FrameGroup =
  | { readonly kind: 'single'; readonly frame: Frame }
  | { readonly kind: 'foreign' | 'shared'; readonly frames: readonly Frame[] }

/** Foreign frames that stay unfolded if a trace has no own code. */
const foreignInView = 3

/**
 * Groups neighbours of foreign code, so that own code stands out. `outer` are the frames of the error above: the end that both
 * share is one group, without the first frame of own code.
 */
export function groupFrames(frames: readonly Frame[], outer: readonly Frame[] = []): readonly FrameGroup[] {
  const end = frames.length - countShared(frames, outer)
  const groups = groupForeign(frames.slice(0, end))
  return end < frames.length ? [...groups, { kind: 'shared', frames: frames.slice(end) }] : groups
}

function groupForeign(frames: readonly Frame[]): readonly FrameGroup[] {
  const inView = frames.some(isOwn) ? 0 : foreignInView
  const groups: FrameGroup[] = []
  let run: Frame[] = []
  for (let index = 0; index < frames.length; index += 1) {
    const frame = frames[index]
    if (frame === undefined) continue
    const isJoining = run.length > 0 && !isOwn(frame) && index > inView
    if (!isJoining) {
      addRun(groups, run)
      run = []
    }
    if (isOwn(frame)) groups.push({ kind: 'single', frame })
    else run.push(frame)
  }
  addRun(groups, run)
  return groups
}

function addRun(groups: FrameGroup[], run: readonly Frame[]): void {
  const [frame] = run
  if (frame !== undefined) groups.push(run.length === 1 ? { kind: 'single', frame } : { kind: 'foreign', frames: run })
}

// Traces are cut at their outer end, so the last frame of the cause may be in the middle of the trace above.
function countShared(frames: readonly Frame[], outer: readonly Frame[]): number {
  const last = frames.at(-1)
  if (last === undefined) return 0
  const end = outer.length === 0 ? -1 : outer.findLastIndex((frame) => isSameCall(frame, last))
  if (end < 0) return 0
  let count = 0
  while (count <= end && count < frames.length && isSameCall(outer[end - count], frames.at(-1 - count))) count++
  const firstOwn = frames.findIndex(isOwn)
  const most = frames.length - 1 - Math.max(0, firstOwn)
  const shared = Math.min(count, most)
  return shared >= 2 ? shared : 0
}

function isSameCall(one: Frame | undefined, other: Frame | undefined): boolean {
  return (
    one !== undefined &&
    one.line === other?.line &&
    one.column === other.column &&
    one.file === other.file &&
    one.functionName === other.functionName
  )
}

function isOwn(frame: Frame): boolean {
  return frame.origin === 'own'
}
