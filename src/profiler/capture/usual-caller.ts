// What is known of where one statement is sent from: how deep its stack has to be caught and, while requests come in great
// number, whether it has to be caught at all.

import { AssumedSite } from './assumed-site.ts'

/** So many times in a row at one depth is known. */
const sureOfDepthAfter = 8
/** So many stacks that led to one place, and none that led elsewhere, make a place that is assumed. */
const sureOfPlaceAfter = 32
/** Of so many calls one is looked at all the same. */
const checkEvery = 32

/** Learns from where callers were found. Holds nothing of a request. */
export class UsualCaller {
  readonly #deepest: number
  #frames: number
  #lastFrame = 0
  #alikeFrames = 0
  #place: string | null = null
  #alikePlaces = 0
  #assumed: AssumedSite | null = null
  #unchecked = 0

  /** `deepest` frames are caught until something better is known; `isDepthLearnt` is `false` for callers of different depths. */
  constructor(deepest: number, isDepthLearnt: boolean = true) {
    this.#deepest = deepest
    this.#frames = deepest
    if (!isDepthLearnt) this.#alikeFrames = -1
  }

  /** Frames to catch. */
  get frames(): number {
    return this.#frames
  }

  /**
   * The place to assume for a call that is made now; `null` where its stack is to be caught: until the place is known, for each
   * thirty-second call from then on, and always once two places are known.
   */
  assume(): AssumedSite | null {
    if (this.#assumed === null) return null
    this.#unchecked = (this.#unchecked + 1) % checkEvery
    return this.#unchecked === 0 ? null : this.#assumed
  }

  /**
   * The caller was the frame of this number, counted from 1; 0 where it was not among those that were caught, and the place is
   * that of a dependency. Where less than the deepest was not enough once, no depth is learnt any more.
   */
  foundAt(frame: number, place: string | null): void {
    this.#learnDepth(frame)
    this.#learnPlace(place)
  }

  #learnDepth(frame: number): void {
    if (this.#alikeFrames < 0) return
    if (frame === 0) {
      if (this.#frames < this.#deepest) this.#alikeFrames = -1
      this.#frames = this.#deepest
    } else if (frame !== this.#lastFrame) {
      this.#lastFrame = frame
      this.#alikeFrames = 1
    } else {
      this.#alikeFrames += 1
      if (this.#alikeFrames >= sureOfDepthAfter) this.#frames = frame
    }
  }

  #learnPlace(place: string | null): void {
    if (this.#alikePlaces < 0) return
    if (place === null || (this.#place !== null && place !== this.#place)) {
      this.#alikePlaces = -1
      this.#place = null
      this.#assumed = null
      return
    }
    this.#place = place
    this.#alikePlaces += 1
    if (this.#alikePlaces >= sureOfPlaceAfter) this.#assumed ??= new AssumedSite(place)
  }
}
