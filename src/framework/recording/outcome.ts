// What counts as an error and as slow, of a request that has ended: said once for the profiler, which decides by it what is
// kept, and for the stores, which mark it in lists.

/** How a request ended. */
export interface Outcome {
  /** Status of the answer; 0 where none left. */
  readonly status: number
  /** Class of what was thrown, or `null`. */
  readonly errorClass: string | null
  /** Lines of its log of level `error` and above. */
  readonly logErrorCount: number
}

/** From how many milliseconds on a request is slow, where nobody says otherwise. */
export const defaultSlowMs = 500

/**
 * Whether an answer of 500 and above or none, something thrown that became no 4xx, or an error line in the log makes it an
 * error. A 404 is thrown too, and no error of the application.
 */
export function isErrorOutcome({ status, errorClass, logErrorCount }: Outcome): boolean {
  return status >= 500 || status === 0 || logErrorCount > 0 || (errorClass !== null && status < 400)
}
