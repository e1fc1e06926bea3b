// What several of the `lock` commands take: a reason, and how much is closed.

import { isTarget, maxTargets, targetsAllowed } from '../../plugins/maintenance/closure.ts'
import { maxReasonLength } from '../../plugins/maintenance/lock-members.ts'
import type { Closure } from '../../plugins/maintenance/lock-store.ts'
import { usageError } from '../command.ts'

export interface ClosureOptions {
  readonly only?: readonly string[]
  readonly readOnly?: true
}

/** `undefined`: everything. Throws a usage error. */
export function readClosure({ only, readOnly }: ClosureOptions): Closure | undefined {
  if (only !== undefined && only.length > maxTargets) {
    throw usageError('--only', `${only.length} targets`, targetsAllowed)
  }
  for (const target of only ?? []) if (!isTarget(target)) throw usageError('--only', target, targetsAllowed)
  if (only === undefined && readOnly === undefined) return undefined
  return { ...(only === undefined ? {} : { only }), ...(readOnly === undefined ? {} : { readOnly }) }
}

/** Throws a usage error for one that is too long. */
export function readReason({ reason = '' }: { readonly reason?: string }): string {
  if (reason.length <= maxReasonLength) return reason
  throw usageError('--reason', `${reason.slice(0, 20)}…`, `at most ${maxReasonLength} characters`)
}
