// Lists the collection of currencies within a time budget: a store that is slow or gone must not keep customers waiting.

import type { Currency, CurrencyStore } from '../src/currency.ts'
import { HttpError } from '../src/index.ts'

/** Every record. 503 with the reason as its cause when the store fails, or takes longer than the budget (1000 ms). */
export async function listCollection(store: CurrencyStore, budgetMs = 1000): Promise<readonly Currency[]> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${store.name} did not respond within ${budgetMs} ms`)), budgetMs)
  })
  try {
    return await Promise.race([store.list(), late])
  } catch (cause) {
    throw new HttpError(503, 'The currencies cannot be read at the moment', { cause, headers: { 'Retry-After': '5' } })
  } finally {
    clearTimeout(timer)
  }
}
