// Decides which calls of a trace stand alone and which fold into one line: runs of foreign code, and the calls that an
// error shares with the one it caused.

import type { Frame } from '../flattened-error.ts'

/** A call that stands alone, or neighbouring calls: some of foreign code, or those that the error above has too. */
export type FrameGroup =
  | { readonly kind: 'single'; readonly frame: Frame }
  | { readonly kind: 'foreign' | 'shared'; readonly frames: readonly Frame[] }

/** Foreign calls that stay in view when a trace has no own code. */
const foreignInView = 3

/**
 * The calls in their order. Two or more neighbours of foreign code make one group, so that own code stands out. `outer` are
 * the calls of the error above: what both have at their ends is one group, but never the first call of own code.
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

// Traces are cut at their outer end, so the last call of the cause may stand in the middle of the trace above.
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
