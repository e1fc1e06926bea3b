// Tells an error once that a framework prints itself by `console.error`: on a terminal as in applications of this library, with source and
// links, elsewhere as the framework prints it, without a line in the log of the request, whose profile has the error.

import { exceptionName } from '../errors/value-origin.ts'
import { currentExchange } from '../http/kernel/current-exchange.ts'
import { printing } from '../http/kernel/keep-line.ts'
import { frameworks } from './framework-routes.ts'
import { observedName, type RecordedRequest } from './observed-request.ts'
import { replaceMethod } from './replace-method.ts'
import type { Profiling } from './start-profiling.ts'

export function printErrorsInstead(profiling: Profiling): void {
  replaceMethod(console, 'error', (_, __, run) => {
    const { failure, recording } = currentExchange() ?? {}
    const observed = recording?.kept(observedName)
    if (failure === undefined || observed === undefined || !isOfFramework(new Error())) return run()
    // With the head an error is read; later ones may come after the profile.
    const isRead = recording?.kept(exceptionName) !== undefined
    if (!process.stderr.isTTY || (observed.hasHead && !isRead)) return printing(run)
    observed.isToPrint = true
    return profiling.notes.guard('An error on the terminal', () => printError(observed, profiling))
  })
}

/** Whether a framework made it, by the innermost frame that is not ours. */
function isOfFramework({ stack = '' }: Error): boolean {
  return frameworks.test(stack.split('\n')[1] ?? '')
}

/** Prints the error of a request if it is to be printed and was read. */
export function printError(observed: RecordedRequest, { errors }: Profiling): void {
  const { exchange, isToPrint } = observed
  const chain = exchange.recording?.kept(exceptionName)
  if (!isToPrint || chain === undefined) return
  observed.isToPrint = false
  errors().print?.(exchange, exchange.reply?.status ?? 500, chain)
}
