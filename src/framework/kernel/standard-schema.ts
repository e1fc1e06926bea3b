// The interface that validators share (https://standardschema.dev): Valibot, Zod, ArkType and others have it.

import type { Awaitable } from './awaitable.ts'

/** A schema of any validator with the member `~standard`. `Output` is what it makes of a valid value. */
export interface StandardSchema<Output = unknown> {
  /** What the validator offers to others, in version 1 of the interface. */
  readonly '~standard': {
    readonly version: 1
    /** `zod`, `valibot` … */
    readonly vendor: string
    readonly validate: (value: unknown) => Awaitable<StandardResult<Output>>
  }
}

/** What a validator says: the value, with defaults and conversions, or what is wrong. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** What is wrong with a value, and where in it. */
export interface StandardIssue {
  /** What is wrong, for the client. */
  readonly message: string
  /** Keys from the value down to the wrong part. Default: the value itself. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}
