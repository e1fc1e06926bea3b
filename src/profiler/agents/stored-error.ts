// Reads what was thrown and what explains it, as far as a profile has it in a known form.

import * as v from '../../framework/options/schema.ts'
import type { Frame } from '../../errors/flattened-error.ts'
import type { ChangeCandidate, ValueOrigin } from '../../errors/value-origin.ts'
import type { Hint } from '../../errors/hints/hint.ts'
import type { Profile } from '../profile.ts'
import { readPartAs, type StoredPart } from '../stored-data.ts'

/** One error of a chain. */
export interface StoredError {
  readonly className: string
  readonly message: string
  readonly properties: readonly { readonly name: string; readonly value: string }[]
  readonly frames: readonly Frame[]
  readonly members: readonly { readonly errors: readonly StoredError[] }[]
}

/** Outermost first, with what explains it. */
export interface StoredExplanation {
  readonly errors: readonly StoredError[]
  readonly hints: readonly Hint[]
  readonly origins: readonly ValueOrigin[]
  readonly candidates: readonly ChangeCandidate[]
}

/** What was thrown during the request of a profile. Never throws. */
export function readThrown(profile: Pick<Profile, 'data'>): StoredPart<StoredExplanation> {
  return readPartAs(profile, 'exception', explained)
}

const excerpt = v.object({
  startLine: v.number(),
  lines: v.array(v.array(v.tuple([v.string(), v.string()]))),
})

const frame = v.object({
  functionName: v.optional(v.nullable(v.string()), null),
  file: v.string(),
  line: v.optional(v.number(), 0),
  column: v.optional(v.number(), 0),
  origin: v.picklist(['own', 'dependency', 'node']),
  isAsync: v.optional(v.boolean(), false),
  excerpt: v.optional(v.nullable(excerpt), null),
})

const error: v.GenericSchema<unknown, StoredError> = v.object({
  className: v.optional(v.string(), ''),
  message: v.optional(v.string(), ''),
  properties: v.optional(v.array(v.object({ name: v.string(), value: v.string() })), []),
  frames: v.array(frame),
  members: v.optional(v.array(v.object({ errors: v.array(v.lazy(() => error)) })), []),
})

const explained: v.GenericSchema<unknown, StoredExplanation> = v.object({
  errors: v.array(error),
  hints: v.optional(v.array(v.object({ title: v.string(), text: v.string() })), []),
  candidates: v.optional(v.array(v.object({ file: v.string(), line: v.number(), why: v.string() })), []),
  origins: v.optional(
    v.array(
      v.object({
        usedAt: v.string(),
        name: v.string(),
        note: v.string(),
        source: v.nullable(
          v.object({ file: v.string(), line: v.number(), parts: v.array(excerpt), marked: v.array(v.number()) }),
        ),
      }),
    ),
    [],
  ),
})
