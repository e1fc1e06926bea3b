// The hashes of collections in Redis, beside the lock, so that one look finds both.

import { versionField, type Hashes } from '../collections.ts'
import { writeConfirmed } from './confirmed-write.ts'
import { pairsOf } from './redis-command.ts'
import type { RedisConnection } from './redis-connection.ts'
import type { RedisPoll } from './redis-poll.ts'

/** The key of a collection. */
export const collectionKey = (name: string): string => `fanlight:{lock}:${name}`

/** ARGV: the expected version, `*` for any and `''` for none, then fields and texts, the new version first. It may be sent twice. */
const setScript = `local version = redis.call('hget', KEYS[1], ARGV[2]) or ''
if version ~= ARGV[3] then
  if ARGV[1] ~= '*' and ARGV[1] ~= version then return 0 end
  redis.call('hset', KEYS[1], unpack(ARGV, 2))
end
return 1`

export function redisHashes(connection: RedisConnection, poll: RedisPoll): Hashes {
  return {
    get: async (name, field) => {
      const [reply = null] = await connection.ask(collectionKey(name), [['hget', collectionKey(name), field]])
      return reply === null ? null : String(reply)
    },
    getAll: async (name) => {
      const [reply] = await connection.ask(collectionKey(name), [['hgetall', collectionKey(name)]])
      return pairsOf(reply)
    },
    set: async (name, fields, expected) => {
      const key = collectionKey(name)
      const expectation = expected === undefined ? '*' : (expected ?? '')
      const command = ['eval', setScript, 1, key, expectation, ...fields.flat()] as const
      return (await writeConfirmed(connection, { key, command })) === 1
    },
    poll: (name, take, fail) =>
      poll.add({
        command: ['hget', collectionKey(name), versionField],
        take: (reply) => take(reply === null ? null : String(reply)),
        fail,
      }),
  }
}
