// Waits for a promise, but not forever.

import { clearTimeout, setTimeout } from '../../base/timing/builtins.ts'

/** The result, or a rejection with the error of `late` when it takes longer than `budgetMs`. The timer keeps no process running. */
export async function withinBudget<Value>(answer: Promise<Value>, budgetMs: number, late: () => Error): Promise<Value> {
  if (await isLate(answer, budgetMs, false)) throw late()
  return answer
}

/** Whether work is still going on after so many milliseconds. Rejects with it. Until then the process runs, unless `holds` is false. */
export async function isLate(work: Promise<unknown>, ms: number, holds = true): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(true), Math.max(0, ms))
    if (!holds) timer.unref()
  })
  try {
    return await Promise.race([work.then(() => false), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Ends when the work has ended, well or badly, or after `budgetMs`. Never rejects. */
export async function waitAtMost(work: Promise<unknown>, budgetMs: number): Promise<void> {
  try {
    await withinBudget(work, budgetMs, () => new Error('It takes longer.'))
  } catch {
    // The caller continues either way.
  }
}
