// Waits for a condition instead of for a time.

/** Asks again and again until the answer is true; fails after `timeoutMs` (default a minute, for machines that are busy elsewhere). */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await condition())) {
    if (performance.now() > deadline)
      throw new Error(`the condition did not become true within ${timeoutMs} ms: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
