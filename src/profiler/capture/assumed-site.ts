// A place in the application's code that is assumed for a call, because all calls before it came from there. Wherever it is
// shown it says so of itself.

/** What stands behind the name of a place that is assumed. */
const assumedMark = ' (assumed)'

/** The place of a call whose stack was not caught. */
export class AssumedSite {
  /** `src/prices.ts:12 (assumed)`. */
  readonly name: string

  /** `place` is where the calls before came from: `src/prices.ts:12`. */
  constructor(place: string) {
    this.name = `${place}${assumedMark}`
  }
}

/** Whether a call site is assumed. */
export function isAssumed(callSite: string): boolean {
  return callSite.endsWith(assumedMark)
}

/** A call site without the word that it is assumed. */
export function placeOf(callSite: string): string {
  return isAssumed(callSite) ? callSite.slice(0, -assumedMark.length) : callSite
}

/** A call site that says that it is assumed. */
export function assumedAt(place: string): string {
  return isAssumed(place) ? place : `${place}${assumedMark}`
}
