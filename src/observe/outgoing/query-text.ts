// Queries and commands as text without values, and keys to compare values by.

import { hash } from 'node:crypto'

/** A query without its values. */
export interface QueryText {
  /** For people: `SELECT * FROM prices WHERE code = ?`. */
  readonly text: string
  /** The text on one line, lists of values shortened: equal for queries that differ only in values. */
  readonly shape: string
}

/** How a database writes literals. */
export type Dialect = 'sql' | 'mysql' | 'postgresql'

/** Characters of a query that are read. */
const maxRead = 8192
/** Characters of a query that are kept. */
const maxText = 4096

/** Removes literals and comments from SQL. Never throws; reads the first 8192 characters. */
export function sqlText(sql: string, dialect: Dialect): QueryText {
  const masked = sql
    .slice(0, maxRead)
    .replace(tokens[dialect], (token: string) => withoutValue(token, dialect))
    .trim()
  const isCut = sql.length > maxRead || masked.length > maxText
  return { text: isCut ? `${masked.slice(0, maxText)}…` : masked, shape: shapeOf(masked) }
}

const comment = String.raw`--[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|$)`
/** An unterminated string runs to the end. */
const plainString = String.raw`[xXbBnN]?'(?:[^']|'')*(?:'|$)`
const escapedString = String.raw`'(?:[^'\\]|\\[^]|'')*(?:'|\\?$)`
const quotedName = String.raw`"(?:[^"]|"")*(?:"|$)`
const escapedText = String.raw`"(?:[^"\\]|\\[^]|"")*(?:"|\\?$)`
const dollarString = String.raw`\$(?<tag>(?:[A-Za-z_]\w*)?)\$[^]*?(?:\$\k<tag>\$|$)`
/** Parameters and names, matched so that their digits are not taken for numbers. */
const words = String.raw`[$?:@]\w+|[A-Za-z_]\w*`
const numbers = String.raw`0[xX][\dA-Fa-f]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?`

const tokens: Readonly<Record<Dialect, RegExp>> = {
  sql: anyOf(plainString, quotedName, comment, words, numbers),
  mysql: anyOf(`[xXbBnN]?${escapedString}`, escapedText, '`[^`]*(?:`|$)', `#[^\\n]*|${comment}`, words, numbers),
  postgresql: anyOf(`[eE]${escapedString}`, plainString, quotedName, dollarString, comment, words, numbers),
}

function anyOf(...sources: readonly string[]): RegExp {
  return new RegExp(sources.join('|'), 'g')
}

function withoutValue(token: string, dialect: Dialect): string {
  if (token.startsWith('--') || token.startsWith('/*') || token.startsWith('#')) return ' '
  if (token.startsWith('"')) return dialect === 'mysql' ? '?' : token
  return /^(?:\d|[A-Za-z]?'|\$(?:[A-Za-z_]\w*)?\$)/.test(token) ? '?' : token
}

function shapeOf(masked: string): string {
  return masked
    .replace(/\s+/g, ' ')
    .replace(/[$:@?]\w+/g, '?')
    .replace(/\(\s?\?(?:\s?,\s?\?)*\s?\)/g, '(?)')
    .replace(/\(\?\)(?:\s?,\s?\(\?\))+/g, '(?)')
}

/** Longer lists and objects get no key. */
const maxValues = 50
const maxDepth = 4
const maxLength = 2000

/** Equal for equal values; `null` for values that cannot be compared. Never throws. */
export function valueKey(values: unknown): string | null {
  if (values === undefined) return ''
  try {
    const written = write(values, 0)
    if (written === null) return null
    return written.length <= 64 ? written : hash('sha1', written)
  } catch {
    return null
  }
}

function write(value: unknown, depth: number): string | null {
  switch (typeof value) {
    case 'string':
      return value.length > maxLength ? null : `${value.length}:${value}`
    case 'number':
    case 'boolean':
    case 'undefined':
      return String(value)
    case 'bigint':
      return String(value)
    case 'object':
      return value === null ? 'null' : writeObject(value, depth)
    default:
      return null
  }
}

function writeObject(value: object, depth: number): string | null {
  if (value instanceof Date) return `date ${value.getTime()}`
  if (value instanceof Uint8Array)
    return value.length > maxLength ? null : `bytes ${Buffer.from(value).toString('base64')}`
  if (depth >= maxDepth) return null
  const isList = Array.isArray(value)
  const entries: readonly unknown[] = isList ? value : Object.entries(value)
  if (entries.length > maxValues) return null
  let written = isList ? '[' : '{'
  for (let index = 0; index < entries.length; index += 1) {
    const part = write(entries[index], depth + 1)
    if (part === null) return null
    written += `${part},`
    if (written.length > maxLength) return null
  }
  return written
}

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
const maxFilterDepth = 5
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
  if (depth >= maxFilterDepth) return '…'
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
