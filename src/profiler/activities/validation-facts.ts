// What is known of a validation.

import type { PlainValue } from '../../framework/redact/plain-value.ts'

/** A value that a validator checked. */
export interface ValidationFacts {
  /** `valibot`, `zod`, `ajv`. */
  readonly library: string
  /** Part of the request: `body`, `query`; `null` if unknown. */
  readonly part: string | null
  /** Whether values are kept: those of query and parameters are, others if the route keeps bodies. */
  readonly hasValues: boolean
  /** Masked and cut; `null` if nothing is wrong with it, if it is a text or number by itself, and without values. */
  readonly input: PlainValue | null
  /** The first ones. */
  readonly faults: readonly ValidationFault[]
  readonly faultCount: number
}

export interface ValidationFault {
  /** `items[0].title`; empty for the whole. */
  readonly path: string
  readonly message: string
  /** As one line, masked; `null` if there is nothing. */
  readonly received: string | null
}
