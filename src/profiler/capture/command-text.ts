// Commands to Redis and MongoDB without their values: what is asked of which key or collection.

import type { QueryText } from './sql-text.ts'

/** A Redis command: its name, and its key if it has one. Other arguments are values. */
export function redisText(name: string, args: readonly unknown[]): QueryText {
  const command = name.toUpperCase()
  if (!keyed.has(command) || args.length === 0) {
    const text = args.length === 0 ? command : `${command} ?`
    return { text, shape: text }
  }
  const key = String(args[0]).slice(0, maxKey)
  const rest = args.length > 1 ? ' ?' : ''
  return { text: `${command} ${key}${rest}`, shape: `${command} ${keyShape(key)}${rest}` }
}

/** A MongoDB command: operation, collection, and the names in its filter or pipeline. */
export function mongoText(operation: string, collection: string, filter: unknown): QueryText {
  const names = filter === undefined ? '' : namesOf(filter, 0)
  const text = `${collection}.${operation}(${names.length > maxFilter ? `${names.slice(0, maxFilter)}…` : names})`
  return { text, shape: text }
}

const maxKey = 200
const maxFilter = 2000
const maxDepth = 5
const maxNames = 20

/** `user:42:cart` and `user:7:cart` have the same shape. */
function keyShape(key: string): string {
  return key
    .split(':')
    .map((part) => (/\d/.test(part) ? '?' : part))
    .join(':')
}

function namesOf(value: unknown, depth: number): string {
  if (typeof value !== 'object' || value === null || !isPlain(value)) return '?'
  if (depth >= maxDepth) return '…'
  if (Array.isArray(value)) {
    const items = new Set(value.slice(0, maxNames).map((item) => namesOf(item, depth + 1)))
    return `[${[...items].join(', ')}]`
  }
  const names = Object.entries(value).slice(0, maxNames)
  return `{ ${names.map(([name, inner]) => `${name.slice(0, maxKey)}: ${namesOf(inner, depth + 1)}`).join(', ')} }`
}

/** An ObjectId or a date is a value. */
function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Commands whose first argument is a key. Of others, such as `AUTH` and `EVAL`, only the name is shown. */
const keyed: ReadonlySet<string> = new Set(
  `APPEND BITCOUNT BITFIELD BITPOS DECR DECRBY DEL DUMP EXISTS EXPIRE EXPIREAT EXPIRETIME GEOADD GEODIST GEOHASH GEOPOS
  GEORADIUS GEOSEARCH GET GETBIT GETDEL GETEX GETRANGE GETSET HDEL HEXISTS HGET HGETALL HINCRBY HINCRBYFLOAT HKEYS HLEN
  HMGET HMSET HSCAN HSET HSETNX HSTRLEN HVALS INCR INCRBY INCRBYFLOAT JSON.DEL JSON.GET JSON.SET LINDEX LINSERT LLEN LPOP
  LPOS LPUSH LPUSHX LRANGE LREM LSET LTRIM MGET MSET PERSIST PEXPIRE PEXPIREAT PFADD PFCOUNT PSETEX PTTL RENAME RPOP
  RPUSH RPUSHX SADD SCARD SET SETBIT SETEX SETNX SETRANGE SISMEMBER SMEMBERS SMISMEMBER SPOP SRANDMEMBER SREM SSCAN STRLEN
  TOUCH TTL TYPE UNLINK XACK XADD XDEL XLEN XRANGE XREAD XREVRANGE XTRIM ZADD ZCARD ZCOUNT ZINCRBY ZLEXCOUNT ZMSCORE
  ZPOPMAX ZPOPMIN ZRANGE ZRANGEBYLEX ZRANGEBYSCORE ZRANK ZREM ZREVRANGE ZREVRANGEBYSCORE ZREVRANK ZSCAN ZSCORE`.split(
    /\s+/,
  ),
)
