// The option `ai` of `profiler()` and `fanlight()`: what is kept of calls to language models.

import { checkOptions, flag } from '../base/options/check-options.ts'

/** The option `ai`. */
export interface AiOptions {
  /** Keep prompts and responses, 16,384 characters of each, masked. Default: no. */
  readonly captureTexts?: boolean
}

/** Throws a TypeError that names the option and what is allowed. */
export function checkAiOptions(given: unknown): void {
  checkOptions<AiOptions>('ai', given, { captureTexts: flag })
}
