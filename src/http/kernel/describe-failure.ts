// Names what was thrown for a log line, without trusting it: anything can be thrown, a revoked Proxy too.

/** Class and message of whatever was thrown; never throws. */
export function describeFailure(thrown: unknown): { errorClass: string; message: string } {
  try {
    if (thrown instanceof Error) return { errorClass: String(thrown.name), message: String(thrown.message) }
    return { errorClass: typeof thrown, message: String(thrown) }
  } catch {
    return { errorClass: 'unknown', message: '(cannot be read)' }
  }
}

/** A message as a part of a longer sentence: without the full stop at its end. */
export function withoutStop(message: string): string {
  return message.replace(/\.$/, '')
}
