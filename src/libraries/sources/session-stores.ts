// What requests read from and write to a store of `express-session`. It publishes nothing: its methods are observed.

import { define, followCallback } from '../../http/kernel/follow-call.ts'
import { performance } from '../../base/timing/builtins.ts'
import { currentExchange } from '../../http/kernel/current-exchange.ts'
import { deepStackFrames } from '../../capture/begin-query.ts'
import { markCallSite } from '../../observe/call-site.ts'
import { openRecording } from '../../observe/owner.ts'
import { sessionUsesName, type TimedUse } from '../../observe/outgoing/shared-values.ts'
import { isCallback, safely } from '../../observe/tracing-source.ts'

/** Observes `get` and `set` of a store, from its next use on. A second call changes nothing. */
export function observeSessionStore(store: object): void {
  for (const name of ['get', 'set']) {
    const isWrite = name === 'set'
    const method: unknown = Reflect.get(store, name)
    if (!isCallback(method) || Object.hasOwn(store, name)) continue
    define(store, name, (...args: unknown[]) => {
      const run = (given: readonly unknown[]): unknown => Reflect.apply(method, store, given)
      const callback = args.at(-1)
      const recording = openRecording(currentExchange())
      if (!isCallback(callback) || recording === undefined) return run(args)
      const site = markCallSite(deepStackFrames)
      const beganMs = performance.now()
      let values: TimedUse['values'] | undefined
      const look = (session: unknown): void => safely('findings', () => void (values ??= entriesOf(session)))
      if (isWrite) look(args[1])
      const note = (session: unknown): void => {
        if (!isWrite) look(session)
        if (values === undefined) return
        const use = { store, key: String(args[0]), what: 'one session', isWrite, values, isWhole: true }
        recording
          .keptOr(sessionUsesName, (): TimedUse[] => [])
          .push({ ...use, site, beganMs, endedMs: performance.now() })
      }
      return followCallback(
        callback,
        (followed) => run(args.with(args.length - 1, followed)),
        note,
        () => undefined,
      )
    })
  }
}

/** Without the cookie, whose time goes on with each request. `undefined` if there is no session. */
function entriesOf(session: unknown): TimedUse['values'] | undefined {
  if (typeof session !== 'object' || session === null) return undefined
  return new Map(
    Object.entries(session).flatMap(([name, entry]: readonly [string, unknown]) =>
      name === 'cookie' ? [] : [[name, typeof entry === 'object' ? JSON.stringify(entry) : entry] as const],
    ),
  )
}
