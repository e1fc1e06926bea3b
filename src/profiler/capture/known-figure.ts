// Numbers on their way to another thread, in lists that hold nothing but numbers.

/** What stands for a number that is not known; those that are known are never below 0. */
export const notKnown = -1

/** A number that was read from such a list. */
export function knownFigure(value: number | undefined): number | null {
  return value === undefined || value === notKnown ? null : value
}
