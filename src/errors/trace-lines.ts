// Frames and source as lines of plain text.

import { countOf } from '../base/html/page-budget.ts'
import { runsOf } from '../base/members.ts'
import { libraryName } from './frame-file.ts'
import type { ErrorChain, Frame, FrameRepeats, SourceExcerpt, SourceToken } from './flattened-error.ts'

/** `NotFoundError: no such product`, its frames, `caused by …`; at most `maxLines` of them (default 60). */
export function traceLines(chain: ErrorChain, maxLines = 60): string[] {
  const lines: string[] = []
  for (const [index, error] of chain.errors.entries()) {
    const head = `${error.className}: ${error.message}`
    lines.push(index === 0 ? head : `caused by ${head}`)
    for (const frame of error.frames) {
      lines.push(`  at ${frameText(frame)}`)
      if (frame.repeats !== undefined) lines.push(`  (${repeatsText(frame.repeats)})`)
    }
    for (const member of error.members) lines.push(...traceLines(member, maxLines).map((line) => `  | ${line}`))
    if (lines.length >= maxLines) break
  }
  if (chain.cut !== null) lines.push(`(${chain.cut})`)
  return lines.length > maxLines ? [...lines.slice(0, maxLines), '(cut)'] : lines
}

/** `src/product.ts:3:9`; only the file if there is no line, as in Node itself. */
export function framePlace({ file, line, column }: Frame): string {
  return line === 0 ? file : `${file}:${line}:${column}`
}

/** `async show (src/product.ts:3:9)`, as V8 writes it. */
export function frameText(frame: Frame): string {
  const place = framePlace(frame)
  const named = frame.functionName === null ? place : `${frame.functionName} (${place})`
  return frame.isAsync ? `async ${named}` : named
}

/** `user = undefined, id = "7"`: the variables of a frame; nothing where none were noted. */
export function variableLines({ variables = [] }: Pick<Frame, 'variables'>): string[] {
  return variables.length === 0 ? [] : [variables.map(([name, text]) => `${name} = ${text}`).join(', ')]
}

/** `this frame repeats 48 more times in this trace`. */
export function repeatsText({ frames, times }: FrameRepeats): string {
  const count = `${times} more times in this trace`
  return frames === 1 ? `this frame repeats ${count}` : `these ${frames} frames repeat ${count}`
}

/** `> 12 | throw new Error()`, one line each; empty without an excerpt. */
export function excerptLines(frame: Frame, radius = 7): readonly string[] {
  const { excerpt } = frame
  const written: string[] = []
  if (excerpt === null) return written
  const { startLine, lines } = excerpt
  const width = String(startLine + lines.length - 1).length
  const first = Math.max(startLine, frame.line - radius)
  const last = Math.min(startLine + lines.length - 1, frame.line + radius)
  for (let number = first; number <= last; number += 1) {
    written.push(sourceLine(lines[number - startLine] ?? [], number, width, number === frame.line))
  }
  const mark = changeMark(excerpt)
  if (mark !== null) written.push(`  (${mark})`)
  return written
}

/** `> 12 | throw new Error()`; `width` is that of the numbers. */
export function sourceLine(tokens: readonly SourceToken[], number: number, width: number, isMarked: boolean): string {
  return `${isMarked ? '>' : ' '} ${String(number).padStart(width)} | ${lineText(tokens)}`.trimEnd()
}

/** A line of source without highlighting. */
export function lineText(tokens: readonly SourceToken[]): string {
  let line = ''
  for (const [, text] of tokens) line += text
  return line
}

/** `The file has changed since it was loaded` and what that means for these lines; `null` if it has not. */
export function changeMark({ changedSince }: SourceExcerpt): string | null {
  if (changedSince === undefined) return null
  return changedSince === 'loaded'
    ? 'The file has changed since it was loaded: these lines are from before.'
    : 'The file has changed since the process started: these lines may not be those that ran.'
}

/** The most useful frame: the first with source, own code before others. */
export function leadingFrame(frames: readonly Frame[]): Frame | undefined {
  return (
    frames.find((frame) => frame.origin === 'own' && frame.excerpt !== null) ??
    frames.find((frame) => frame.excerpt !== null)
  )
}

/** One frame, or neighbours that are foreign code or also in the error above. */
export type FrameGroup =
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
  const inView = frames.slice(0, frames.some(isOwn) ? 0 : foreignInView)
  const runs = runsOf(frames.slice(inView.length), (one, other) => !isOwn(one) && !isOwn(other))
  return [...inView.map((frame) => [frame] as const), ...runs].map((run) =>
    run.length === 1 ? { kind: 'single', frame: run[0] } : { kind: 'foreign', frames: run },
  )
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

/** `24 frames in fanlight, node`. `outer`: the name of the error above. */
export function groupTitle(
  { kind, frames }: Exclude<FrameGroup, { kind: 'single' }>,
  outer = 'the error above',
): string {
  const count = countOf(frames.length, 'frame')
  return kind === 'shared' ? `${count} shared with ${outer}` : `${count} in ${placesOf(frames)}`
}

function placesOf(frames: readonly Frame[]): string {
  const places = [...new Set(frames.map(packageOf))]
  return places.length > 4 ? `${places.slice(0, 4).join(', ')} and ${places.length - 4} more` : places.join(', ')
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
