// Waits for a promise, but not forever.

/** The result, or a rejection with the error of `late` when it takes longer than `budgetMs`. The timer keeps no process running. */
export async function withinBudget<Value>(result: Promise<Value>, budgetMs: number, late: () => Error): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), budgetMs).unref()
  })
  try {
    return await Promise.race([result, tooLate])
  } finally {
    clearTimeout(timer)
  }
}
