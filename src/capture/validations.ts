// How validators report what they checked, and what was wrong.

import { bodyRule } from '../http/recording/body-rule.ts'
import { currentExchange } from '../http/kernel/current-exchange.ts'
import { memberAt, withoutValues, validationChannel, type PublishedValidation } from '../http/kernel/validate.ts'
import type { StandardIssue } from '../http/kernel/handler-options.ts'
import type { Redactor } from '../base/redact/redactor.ts'
import { type ActivityStart, type RunningActivity } from '../observe/activities/activity.ts'
import { beginActivity } from '../observe/activities/begin-activity.ts'
import { validation as kind, type ValidationFacts, type ValidationFault } from './activities/validation.ts'
import { deepStackFrames } from './begin-query.ts'
import { followCall } from '../http/kernel/follow-call.ts'
import { isOwn, openRecording, type CaptureOwner } from '../observe/owner.ts'
import { Channels } from '../observe/tracing-source.ts'
import type { KeptName } from '../http/recording/recording.ts'
import { membersOf } from '../base/members.ts'

interface CheckedValue extends Pick<ValidationFacts, 'library' | 'part'> {
  readonly input: unknown
}

/** Faults kept of one validation. */
const maxFaults = 20
const maxTextLength = 200
const inputLimits = { maxTotalLength: 2000, maxDepth: 6 } as const
/** Whether a validator runs: one that calls another is one validation. */
const runningName: KeptName<boolean> = 'validation'

/** Runs a validator and reports what it found in the request that is running. Results, promises and errors pass through unchanged. */
export function checkObserved<Result>(
  checked: () => CheckedValue,
  run: () => Result,
  issuesOf: (outcome: unknown) => readonly StandardIssue[] | undefined,
): Result {
  const recording = openRecording(currentExchange())
  if (recording === undefined || recording.kept(runningName) === true) return run()
  const value = checked()
  const validation = beginActivity(kind, () => validationStart(value))
  if (validation === undefined) return run()
  const end = (outcome: unknown): void =>
    validation.end(validationEnd(value, issuesOf(outcome) ?? [], recording.redactor))
  const fail = (thrown: unknown): void => {
    // A validator throws what it found, or breaks.
    if (issuesOf(thrown) === undefined) validation.fail(thrown)
    else end(thrown)
  }
  return followCall(() => checkUnobserved(run), end, fail)
}

/** Reports nothing of what validators do until `run` returns. */
export function checkUnobserved<Result>(run: () => Result): Result {
  const recording = openRecording(currentExchange())
  const before = recording?.kept(runningName)
  recording?.keep(runningName, true)
  try {
    return run()
  } finally {
    recording?.keep(runningName, before === true)
  }
}

function validationStart({ library, part }: CheckedValue): ActivityStart<ValidationFacts> {
  return {
    facts: { library: library.slice(0, 60), part, hasValues: false, input: null, faults: [], faultCount: 0 },
    site: deepStackFrames,
  }
}

/** Values of a body are kept only if the route keeps bodies, and of others only those with keys by which they can be masked. */
function validationEnd(
  { part, input }: Pick<CheckedValue, 'part' | 'input'>,
  issues: readonly StandardIssue[],
  redactor: Redactor,
): Pick<ValidationFacts, 'hasValues' | 'input' | 'faults' | 'faultCount'> {
  const isInUrl = part === 'query' || part === 'params'
  const hasValues = isInUrl || bodyRule(currentExchange()) !== 'none'
  const faults = issues.slice(0, maxFaults).map((issue) => faultOf(issue, input, hasValues ? redactor : undefined))
  return {
    hasValues,
    input: issues.length > 0 && hasValues && typeof input === 'object' ? redactor.value(input, inputLimits) : null,
    faults,
    faultCount: issues.length,
  }
}

/** The issues in what a validator returned or threw: `issues`, or those of its `error`; `undefined` if it has none. */
export function issuesIn(outcome: unknown): readonly StandardIssue[] | undefined {
  const { issues, error } = membersOf(outcome)
  if (Array.isArray(issues)) return issues.filter(isIssue)
  return error === undefined || error === null ? undefined : issuesIn(error)
}

function isIssue(issue: unknown): issue is StandardIssue {
  return typeof issue === 'object' && issue !== null && 'message' in issue && typeof issue.message === 'string'
}

/** Without a redactor no value is kept. */
function faultOf({ path, message }: StandardIssue, input: unknown, redactor: Redactor | undefined): ValidationFault {
  const { place, value, holder, key } = memberAt(Array.isArray(path) ? path : [], input)
  return {
    path: place.slice(0, maxTextLength),
    message: withoutValues(message, value).slice(0, maxTextLength),
    received: holder === null ? null : (redactor?.property(holder, String(key), maxTextLength) ?? null),
  }
}

/** What the schemas of routes make of requests, as the kernel publishes it. */
export function validationSource(owner: CaptureOwner): Channels {
  const running = new WeakMap<object, RunningActivity<ValidationFacts>>()
  // Only the kernel publishes here.
  const on = (listen: (message: PublishedValidation) => void) => (message: unknown) =>
    listen(message as PublishedValidation)
  return new Channels('validation', {
    [`tracing:${validationChannel}:start`]: on((message) => {
      const { part, schema, given: input } = message
      const checked = { library: schema['~standard'].vendor, part, input }
      const validation = isOwn(owner) ? beginActivity(kind, () => validationStart(checked)) : undefined
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
