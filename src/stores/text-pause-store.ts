// A pause of recording in any place that keeps a text.

import { clearInterval, setInterval } from '../framework/timing/builtins.ts'
import { parsePause, type PauseStore, type RecordingPause } from '../profiler/recording-pause.ts'

export interface PausePlace {
  get(): Promise<string | null>
  set(text: string | null): Promise<void>
}

/** Milliseconds between two looks: what others change is known within a second. */
const everyMs = 500

/** Looks only while somebody watches. */
export class TextPauseStore implements PauseStore {
  readonly #place: PausePlace
  readonly #watchers = new Set<(pause: RecordingPause | null) => void>()
  #timer: NodeJS.Timeout | undefined
  #known: string | null | undefined
  #isLooking = false

  constructor(place: PausePlace) {
    this.#place = place
  }

  async read(): Promise<RecordingPause | null> {
    return parsePause(await this.#place.get())
  }

  async write(pause: RecordingPause | null): Promise<void> {
    const text = pause === null ? null : JSON.stringify(pause)
    await this.#place.set(text)
    this.#receive(text)
  }

  watch(onChange: (pause: RecordingPause | null) => void): () => void {
    this.#watchers.add(onChange)
    this.#known = undefined
    this.#timer ??= setInterval(() => void this.#look(), everyMs).unref()
    void this.#look()
    return () => {
      this.#watchers.delete(onChange)
      if (this.#watchers.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      this.#receive(await this.#place.get())
    } catch {
      // A store that cannot be reached is reported elsewhere. The last known value counts.
    } finally {
      this.#isLooking = false
    }
  }

  #receive(text: string | null): void {
    if (text === this.#known) return
    this.#known = text
    const pause = parsePause(text)
    for (const onChange of this.#watchers) onChange(pause)
  }
}
