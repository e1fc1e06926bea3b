// The guards of Nest as decisions about access.

import { describeFailure } from '../../framework/kernel/describe-failure.ts'
import { observers } from '../captures/observers.ts'
import type { Observer } from '../integration.ts'
import { settled } from './observed-function.ts'

/** What Nest tells a guard of the method that it guards. */
export interface ExecutionContext {
  getClass(): { readonly name: string }
  getHandler(): { readonly name: string }
}

/** Runs a guard, and notes whether it let the request through. A guard denies by `false`, and by throwing a 401 or a 403. */
export function decided(rule: string, context: ExecutionContext, work: () => unknown, observer: Observer): unknown {
  const decision = observers().beginActivity('access', () => ({
    facts: {
      user: null,
      action: 'guard',
      subject: `${context.getClass().name}.${context.getHandler().name}`,
      outcome: 'denied',
      by: rule,
      reason: null,
      votes: [],
    },
    site: null,
  }))
  if (decision === undefined) return work()
  const after = {
    ended: (result: unknown) => decision.end({ outcome: result === false ? 'denied' : 'granted' }),
    failed: (thrown: unknown) => {
      if (isRefusal(thrown)) decision.end({ outcome: 'denied', reason: describeFailure(thrown).message.slice(0, 500) })
      else decision.fail(thrown)
    },
  }
  return settled(work, after, observer)
}

function isRefusal(thrown: unknown): boolean {
  const getStatus: unknown = Reflect.get(Object(thrown), 'getStatus')
  const status: unknown = typeof getStatus === 'function' ? Reflect.apply(getStatus, thrown, []) : undefined
  return status === 401 || status === 403
}
