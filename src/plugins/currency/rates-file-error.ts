// The error of a rates file that cannot be used.

/** The message names the line, counted from 1, and the offending value. */
export class RatesFileError extends Error {
  readonly line: number

  constructor(line: number, problem: string, options?: ErrorOptions) {
    super(`Line ${line}: ${problem}`, options)
    this.line = line
  }

  static {
    Object.defineProperty(this.prototype, 'name', { value: 'RatesFileError', configurable: true, writable: true })
  }

  /** Stable code to tell errors apart by. */
  get code(): string {
    return 'ERR_RATES_FILE'
  }
}
