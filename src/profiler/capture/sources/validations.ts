// What the schemas of routes make of requests, as the kernel publishes it.

import { currentExchange } from '../../../framework/kernel/current-exchange.ts'
import { validationChannel, type PublishedValidation } from '../../../framework/kernel/validate.ts'
import type { ActivityOwner } from '../../activities/activity.ts'
import { openRecording } from '../owner.ts'
import { issuesIn, runningName, validationEnd, validationStart, type RunningValidation } from '../validations.ts'
import { Channels } from './tracing-source.ts'

/** `owner` is the capture of one application: all applications of a process hear the same channel. */
export function validationSource(owner: ActivityOwner): Channels {
  const running = new WeakMap<object, RunningValidation>()
  // Only the kernel publishes here.
  const on = (listen: (message: PublishedValidation) => void) => (message: unknown) =>
    listen(message as PublishedValidation)
  return new Channels('validation', {
    [`tracing:${validationChannel}:start`]: on((message) => {
      const { part, schema, given: input } = message
      const checked = { library: schema['~standard'].vendor, part, input }
      const validation = owner.beginActivity('validation', () => validationStart(checked))
      if (validation === undefined) return
      running.set(message, validation)
      openRecording(currentExchange())?.keep(runningName, true)
    }),
    [`tracing:${validationChannel}:end`]: on(() => openRecording(currentExchange())?.keep(runningName, false)),
    [`tracing:${validationChannel}:error`]: on((message) => running.get(message)?.fail(message.error)),
    // Without effect after an error.
    [`tracing:${validationChannel}:asyncEnd`]: on((message) => {
      const { part, given: input, result } = message
      const redactor = openRecording(currentExchange())?.redactor
      if (redactor !== undefined)
        running.get(message)?.end(validationEnd({ part, input }, issuesIn(result) ?? [], redactor))
    }),
  })
}
