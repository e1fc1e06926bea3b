// Keeps on the recording, when a request ends, what was captured of its body; the body itself stays with the request.

import type { Exchange } from '../framework/kernel/exchange.ts'
import type { Listener } from '../framework/kernel/listener.ts'
import { captureBody } from '../framework/recording/captured-body.ts'
import type { Redactor } from '../framework/redact/redactor.ts'

/** The name that a captured body is kept under. */
export const bodyName = 'request-body'

/** Comes before the profiler: what it keeps is collected there. */
export function bodyKeeper(redactor: Redactor): Listener {
  return {
    name: 'request body',
    onTerminate: (exchange: Exchange) => {
      if (exchange.request.body.isEmpty || exchange.recording === undefined) return
      const captured = captureBody(exchange, redactor)
      exchange.recording.keep(bodyName, captured)
      // A sub-request is a part of the same request.
      for (const child of exchange.children) child.recording?.keep(bodyName, captured)
    },
  }
}
