// Lists the collection of currencies within a time budget: a store that is slow or gone must not keep customers waiting.

import { HttpError } from '../src/index.ts'
import type { Currency } from './currencies/currency.ts'
import type { CurrencyStore } from './currencies/store.ts'
import { withinBudget } from './within-budget.ts'

/** Every record. 503 with the reason as its cause when the store fails, or takes longer than the budget (1000 ms). */
export async function listCollection(store: CurrencyStore, budgetMs = 1000): Promise<readonly Currency[]> {
  const late = (): Error => new Error(`${store.name} did not respond within ${budgetMs} ms`)
  try {
    return await withinBudget(store.list(), budgetMs, late)
  } catch (cause) {
    throw new HttpError(503, 'The currencies cannot be read at the moment', { cause, headers: { 'Retry-After': '5' } })
  }
}
