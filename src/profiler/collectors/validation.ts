// What validators checked.

import type { Redactor } from '../../framework/redact/redactor.ts'
import type { Activities } from '../activities/activity.ts'
import { activityCollector } from '../activities/collector.ts'
import type { ValidationFacts } from '../activities/validation-facts.ts'
import type { BuiltInCollector } from '../request-record.ts'

export type ValidationData = Activities<ValidationFacts>

/** Inputs and received values were masked when they were noted. */
export function validationCollector(redactor: Redactor): BuiltInCollector<ValidationData> {
  return activityCollector('validation', redactor, (facts) => ({
    ...facts,
    faults: facts.faults.map((fault) => ({
      ...fault,
      path: redactor.text(fault.path),
      message: redactor.text(fault.message),
    })),
  }))
}
