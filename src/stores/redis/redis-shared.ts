// What the calling thread serves of a store in Redis: the lock, the currencies and the members of the fleet.

import type { CurrencyStore } from '../../plugins/currency/currency-store.ts'
import type { LockStore } from '../../plugins/maintenance/lock-store.ts'
import type { PauseStore } from '../../profiler/recording-pause.ts'
import type { FleetStats } from '../../profiler/fleet-stats.ts'
import { slotOf } from './key-slot.ts'
import type { RedisConnection } from './redis-connection.ts'
import { RedisCurrencyStore } from './redis-currency-store.ts'
import { lockKey, RedisLockStore } from './redis-lock-store.ts'
import { RedisMembers, type RedisMembersOptions } from './redis-members.ts'
import { writeConfirmed } from './confirmed-write.ts'
import { TextPauseStore } from '../text-pause-store.ts'
import { RedisPoll } from './redis-poll.ts'

export interface RedisShared {
  readonly lock: LockStore
  readonly pause: PauseStore
  readonly currencies: CurrencyStore
  /** Never rejects: who cannot be asked for is left out. */
  facts(): Promise<Pick<FleetStats, 'members' | 'currenciesTime'>>
  close(): Promise<void>
}

/** `own`: what this process says of itself to the others; `undefined`: it takes no part. */
export function shareRedis(connection: RedisConnection, own: RedisMembersOptions | undefined): RedisShared {
  const poll = new RedisPoll(connection, slotOf(lockKey))
  const currencies = new RedisCurrencyStore(connection, poll)
  const members = new RedisMembers(connection, own)
  return {
    lock: new RedisLockStore(connection, poll),
    pause: pauseStore(connection),
    currencies,
    facts: async () => {
      const known = await members.list().catch(() => undefined)
      return { ...(known === undefined ? {} : { members: known }), currenciesTime: currencies.knownAt }
    },
    close: async () => {
      poll.close()
      await members.close()
      await connection.close()
    },
  }
}

/** In the slot of the lock. */
const pauseKey = 'fanlight:{lock}:pause'

function pauseStore(connection: RedisConnection): TextPauseStore {
  return new TextPauseStore({
    get: async () => {
      const [reply = null] = await connection.ask(pauseKey, [['get', pauseKey]])
      return reply === null || reply === '' ? null : String(reply)
    },
    set: async (text) =>
      writeConfirmed(connection, { key: pauseKey, command: ['set', pauseKey, text ?? ''], isForced: true }),
  })
}
