// What several of the `lock` commands take: a reason, how much is closed, and how sure the store must be.

import { hostname, userInfo } from 'node:os'
import { isTarget, maxTargets, targetsAllowed } from '../../plugins/maintenance/closure.ts'
import { maxNameLength, maxReasonLength } from '../../plugins/maintenance/lock-members.ts'
import type { Closure } from '../../plugins/maintenance/lock-store.ts'
import { usageError } from '../command.ts'

export interface JsonOption {
  readonly json?: true
}

export interface ChangeOptions extends JsonOption {
  readonly force?: true
}

export const forceOption = ['--force', 'succeed though only one node of the store has it'] as const

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

/** User of the operating system and machine: `anna@web-1`. */
export function operatorName(): string {
  return `${userName()}@${hostname()}`.slice(0, maxNameLength)
}

/** A container may run as a user that its system does not know. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}
