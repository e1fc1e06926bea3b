// Checks numeric options.

/** The value, if it is a whole number from 0 up. Throws a TypeError that names the option. */
export function wholeNumber(option: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new TypeError(`Option "${option}" is ${JSON.stringify(value)}; allowed: a whole number from 0`)
}
