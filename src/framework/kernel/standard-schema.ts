// The interface that validators share (https://standardschema.dev): Valibot, Zod, ArkType and others have it.

import type { Awaitable } from './awaitable.ts'

/** A schema of any validator with the member `~standard`. `Output` is what it makes of a valid value. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    /** `zod`, `valibot` … */
    readonly vendor: string
    readonly validate: (value: unknown) => Awaitable<StandardResult<Output>>
  }
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** What is wrong with a value, and where in it. */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}
