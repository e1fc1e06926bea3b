// Keeps what an application prints while it starts and ends out of the output of a command.

/** Does the work; what is written to standard output meanwhile is dropped. Standard error is left alone. */
export async function withoutOutput<T>(work: () => Promise<T>): Promise<T> {
  const { stdout } = process
  const write = stdout.write
  stdout.write = (_chunk: unknown, encoding?: unknown, done?: unknown): boolean => {
    const callback = typeof encoding === 'function' ? encoding : done
    if (typeof callback === 'function') process.nextTick(callback)
    return true
  }
  try {
    return await work()
  } finally {
    stdout.write = write
  }
}
