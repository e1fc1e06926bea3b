// Writes times as text. A number of more than 31 bits is slow to write; of the times of lines, all but the milliseconds are the
// same for a second.

/** Writes one time after the other. */
export class EpochText {
  #second = Number.NaN
  #text = ''

  /** Whole milliseconds since 1970, as `String()` writes them. */
  of(atMs: number): string {
    const second = Math.floor(atMs / 1000)
    if (second < 1) return String(atMs)
    if (second !== this.#second) {
      this.#second = second
      this.#text = String(second)
    }
    const rest = atMs - second * 1000
    return this.#text + (rest < 10 ? '00' : rest < 100 ? '0' : '') + rest
  }
}
