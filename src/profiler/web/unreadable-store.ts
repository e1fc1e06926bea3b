// A store that fails or is too slow, told apart from a fault of our own.

import { describeFailure } from '../../framework/kernel/describe-failure.ts'
import { nameError } from '../../framework/http/name-error.ts'

/** The store could not be read; the message is a sentence for people. */
export class UnreadableStoreError extends Error {}
nameError(UnreadableStoreError)

/** Seconds after which a client may ask again. */
export const unreadableRetryAfter = '2'

/** What `read` gives; whatever it throws becomes an `UnreadableStoreError`. */
export async function fromStore<Value>(read: () => Promise<Value>): Promise<Value> {
  try {
    return await read()
  } catch (cause) {
    const reason = describeFailure(cause).message
    // No store throws these: code does, and waiting does not help.
    const isFault = cause instanceof TypeError || cause instanceof ReferenceError
    throw new UnreadableStoreError(
      isFault
        ? `Profiles cannot be read: ${reason}`
        : `Profiles cannot be read from the store now: ${reason} Try again in a moment.`,
      { cause },
    )
  }
}
