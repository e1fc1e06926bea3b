// Waits for a condition instead of for a time.

/** Asks again and again until the answer is true; fails after `timeoutMs` (default four minutes, for machines that are busy elsewhere). */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 240_000): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await condition())) {
    if (performance.now() > deadline)
      throw new Error(`the condition did not become true within ${timeoutMs} ms: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Does again what may be missed until the condition is true, and waits twice as long each time, up to five minutes in all. */
export async function untilAgain(act: () => void, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let patienceMs = 20_000; ; patienceMs *= 2) {
    act()
    try {
      return await until(condition, patienceMs)
    } catch (error) {
      if (patienceMs > 100_000) throw error
    }
  }
}
