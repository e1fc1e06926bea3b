// Whether recording is paused for all processes of a store in Redis.

import { TextPauseStore } from '../text-pause-store.ts'
import { writeConfirmed } from './confirmed-write.ts'
import { slotOf } from './key-slot.ts'
import type { RedisConnection } from './redis-connection.ts'
import { RedisFailure, toEngineError } from './redis-failure.ts'

/** In the slot of the lock. */
const key = 'fanlight:{lock}:pause'
const slot = slotOf(key)

export function redisPause(connection: RedisConnection): TextPauseStore {
  return new TextPauseStore({
    get: async () => {
      try {
        const [reply = null] = await connection.use().client.send(slot, [['get', key]])
        if (reply instanceof RedisFailure) throw reply
        return reply === null || reply === '' ? null : String(reply)
      } catch (thrown) {
        throw toEngineError(thrown, connection.name)
      }
    },
    set: async (text) => writeConfirmed(connection, key, ['set', key, text ?? '']),
  })
}
