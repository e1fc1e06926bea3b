// The error of a rates file that cannot be used.

import { nameError } from '../../framework/http/name-error.ts'

/** The message names the line, counted from 1, and the offending value. */
export class RatesFileError extends Error {
  readonly line: number

  constructor(line: number, problem: string, options?: ErrorOptions) {
    super(`Line ${line}: ${problem}`, options)
    this.line = line
  }

  get code(): string {
    return 'ERR_RATES_FILE'
  }
}
nameError(RatesFileError)
