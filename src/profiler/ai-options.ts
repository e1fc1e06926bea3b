// The option `ai` of `profiler()` and `fanlight()`: what is kept of calls to language models, and what they cost.

import { checkOptions, flag, text, type OptionRule, type OptionRules } from '../framework/options/check-options.ts'

/** The option `ai`. */
export interface AiOptions {
  /** Keep prompts and responses, 16,384 characters of each, masked. Default: no. */
  readonly captureTexts?: boolean
  /** Prices by model, as the application or the response names it. Default: none, and no costs. */
  readonly prices?: Readonly<Record<string, AiPrice>>
  /** The currency of the prices. Default: `USD`. */
  readonly currency?: string
}

/** For a million tokens each. */
interface AiPrice {
  readonly input: number
  readonly output: number
  /** For input that the provider had in its cache. Default: that of other input. */
  readonly cachedInput?: number
}

const price: OptionRule = {
  allowed: 'a number from 0',
  fits: (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
}

const rules: OptionRules<AiOptions> = {
  captureTexts: flag,
  prices: {
    allowed: 'a record of prices by model',
    fits: (value) => typeof value === 'object' && !Array.isArray(value),
  },
  currency: text,
}

const priceRules: OptionRules<AiPrice> = { input: price, output: price, cachedInput: price }

/** Throws a TypeError that names the option and what is allowed. */
export function checkAiOptions(given: unknown): void {
  checkOptions<AiOptions>('ai', given, rules)
  for (const [model, prices] of Object.entries(given.prices ?? {})) {
    const owner = `ai.prices[${JSON.stringify(model.slice(0, 100))}]`
    checkOptions<AiPrice>(owner, prices, priceRules)
    for (const name of ['input', 'output'] as const) {
      if (prices[name] === undefined)
        throw new TypeError(`Option "${name}" of ${owner} is missing; allowed: ${price.allowed}`)
    }
  }
}
