// Tells paths apart by their length and four of their characters, at the places where the paths of one set differ most.

/** Indexes of characters: two from the start (0 is the first), two from the end (1 is the last). */
export interface Places {
  readonly start: number
  readonly otherStart: number
  readonly end: number
  readonly otherEnd: number
}

/** How many paths are enough to choose by. */
const maxSample = 256
const starts = Array.from({ length: 23 }, (_, index) => index + 1)
const ends = Array.from({ length: 8 }, (_, index) => index + 1)

/** A number for a path that is not empty; the same for equal paths. */
export function fingerprint(path: string, { start, otherStart, end, otherEnd }: Places): number {
  const { length } = path
  let key = length * 31 + path.charCodeAt(start < length ? start : 0)
  key = Math.imul(key, 31) + path.charCodeAt(otherStart < length ? otherStart : 0)
  key = Math.imul(key, 31) + path.charCodeAt(end <= length ? length - end : 0)
  return Math.imul(key, 31) + path.charCodeAt(otherEnd <= length ? length - otherEnd : 0)
}

/** Chooses the places one after the other, each time the one that tells most of the paths apart. */
export function placesFor(paths: readonly string[]): Places {
  const step = Math.max(1, Math.ceil(paths.length / maxSample))
  const sample = paths.filter((_, index) => index % step === 0)
  let places: Places = { start: 0, otherStart: 0, end: 1, otherEnd: 1 }
  for (const [field, choices] of [
    ['start', starts],
    ['end', ends],
    ['otherStart', starts],
    ['otherEnd', ends],
  ] as const) {
    let most = 0
    let best = places
    for (const choice of choices) {
      const tried = { ...places, [field]: choice }
      const told = new Set(sample.map((path) => fingerprint(path, tried))).size
      if (told > most) [most, best] = [told, tried]
    }
    places = best
    if (most === sample.length) break
  }
  return places
}
