// A process that watches the lock of a store (`STORE`) and says what it sees.

import { openEngine } from '../../src/app/open-engine.ts'

/** What it sends. */
export interface Watched {
  /** -1: it has opened the store. */
  readonly value: number
  /** Milliseconds since 1970. */
  readonly time: number
}

const engine = await openEngine(process.env['STORE'] ?? '')
engine.lock.watch(
  ({ value }) => send({ value, time: Date.now() }),
  () => undefined,
)
await engine.lock.read()
send({ value: -1, time: Date.now() })
process.on('disconnect', () => process.exit())

function send(message: Watched): void {
  if (process.connected) process.send?.(message)
}
