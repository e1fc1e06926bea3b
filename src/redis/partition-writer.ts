// Writes to partitions: one script call a batch, confirmed by a replica if there is one. The scripts run inside Redis, in Lua, with the
// eviction that a batch causes. A call does all or nothing: it looks first and writes then. All keys lie in one slot.

import { longerAgeFactor, longerShare, type KeepingClass } from '../stores/profile-keeping.ts'
import { seqStep, type Partition } from './partitions.ts'
import { createHash } from 'node:crypto'
import type { ProfileBounds } from '../stores/engine.ts'
import type { StoredRow } from './profile-rows.ts'
import type { RedisClient } from './redis-client.ts'
import { type RedisCommand, type RedisReply, accepted, infoOf, RedisFailure } from './redis-command.ts'
import { refuseProfiles, takenToken } from '../profiles/profile-store.ts'

/** What both scripts do. A row begins with token, bytes and time: `["4f7k2m9qx0ab",812,1763900000000,…`. */
const shared = `
local totalsKey = KEYS[1]
local rowsKey = { ordinary = KEYS[2], longer = KEYS[3] }
local stored = redis.call('HMGET', totalsKey, 'seq', 'ordinary:count', 'ordinary:bytes', 'longer:count', 'longer:bytes')
local lastSeq = tonumber(stored[1] or 0)
local totals = {
  ordinary = { count = tonumber(stored[2] or 0), bytes = tonumber(stored[3] or 0) },
  longer = { count = tonumber(stored[4] or 0), bytes = tonumber(stored[5] or 0) },
}

local function whole(number) return string.format('%.0f', number) end

local function readRow(entry)
  local token, bytes, time = string.match(entry[2][2], '^%["(%w+)",(%d+),([^,%]]+)')
  return { id = entry[1], token = token, bytes = tonumber(bytes or 0), time = tonumber(time) or 0 }
end

local function unlink(prefix, tokens)
  for first = 1, #tokens, 1000 do
    local keys = {}
    for i = first, math.min(first + 999, #tokens) do keys[#keys + 1] = prefix .. tokens[i] end
    redis.call('UNLINK', unpack(keys))
  end
end

local function saveTotals()
  redis.call('HSET', totalsKey, 'seq', whole(lastSeq),
    'ordinary:count', whole(totals.ordinary.count), 'ordinary:bytes', whole(totals.ordinary.bytes),
    'longer:count', whole(totals.longer.count), 'longer:bytes', whole(totals.longer.bytes))
end
`

/** Rows of one class that a call removes because of their age, at most: the next calls remove the rest. */
const mostAged = 1000

/**
 * Writes profiles and removes the oldest ones beyond the bounds, by the rules of \`profile-keeping.ts\` and the clock of the server.
 *
 * KEYS: totals, ordinary rows, longer rows, then the key of each profile.
 * ARGV: prefix of those keys, remainder of the numbers, most profiles, most bytes, greatest age in ms, then of each profile: its
 * class, row and body.
 * Gives the places of the profiles whose token exists already, counted from 1. Nothing was written if there is one.
 */
const writeScript: string = `${shared}
local prefix, remainder = ARGV[1], tonumber(ARGV[2])
local maxCount, maxBytes, maxAge = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])

if redis.call('EXISTS', unpack(KEYS, 4)) > 0 then
  local taken = {}
  for i = 4, #KEYS do
    if redis.call('EXISTS', KEYS[i]) == 1 then taken[#taken + 1] = i - 3 end
  end
  return taken
end

local clock = redis.call('TIME')
local micros = clock[1] * 1000000 + clock[2]
local now = math.floor(micros / 1000)
lastSeq = math.max(lastSeq, micros - micros % ${seqStep} + remainder - ${seqStep})

for i = 4, #KEYS do
  local at = 6 + (i - 4) * 3
  local class, row, body = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  lastSeq = lastSeq + ${seqStep}
  redis.call('SET', KEYS[i], string.format('%016.0f', lastSeq) .. string.sub(class, 1, 1) .. body)
  redis.call('XADD', rowsKey[class], whole(lastSeq) .. '-0', 'row', row)
  local bytes = tonumber(string.match(row, '^%["%w+",(%d+)'))
  totals[class].count = totals[class].count + 1
  totals[class].bytes = totals[class].bytes + bytes
end

local newest = whole(lastSeq) .. '-0'
local gone = {}

local function line(class, keptMs)
  local rows, at, from, lastGone, aged = {}, 0, '-', nil, 0
  local own = totals[class]
  local function head()
    if own.count <= 0 then return nil end
    if at == #rows then
      rows, at = redis.call('XRANGE', rowsKey[class], from, '+', 'COUNT', 64), 0
      if #rows == 0 then own.count, own.bytes = 0, 0 return nil end
      from = '(' .. rows[#rows][1]
    end
    return readRow(rows[at + 1])
  end
  local function drop(row)
    at = at + 1
    own.count, own.bytes = own.count - 1, own.bytes - row.bytes
    lastGone = row.id
    if row.token then gone[#gone + 1] = row.token end
  end
  return {
    dropAged = function()
      local row = head()
      while row and row.time < now - keptMs and aged < ${mostAged} do
        drop(row)
        aged = aged + 1
        row = head()
      end
    end,
    dropOldest = function()
      local row = head()
      if not row or row.id == newest then return false end
      drop(row)
      return true
    end,
    trim = function()
      if lastGone then redis.call('XTRIM', rowsKey[class], 'MINID', (string.gsub(lastGone, '0$', '1'))) end
    end,
  }
end

local ordinary, longer = line('ordinary', maxAge), line('longer', maxAge * ${longerAgeFactor})
ordinary.dropAged()
longer.dropAged()
while true do
  local chosen, other
  if totals.ordinary.count + totals.longer.count > maxCount then
    chosen = totals.longer.count > maxCount * ${longerShare} and longer or ordinary
  elseif totals.ordinary.bytes + totals.longer.bytes > maxBytes then
    chosen = totals.longer.bytes > maxBytes * ${longerShare} and longer or ordinary
  else
    break
  end
  other = chosen == longer and ordinary or longer
  if not chosen.dropOldest() and not other.dropOldest() then break end
end
ordinary.trim()
longer.trim()
unlink(prefix, gone)
saveTotals()
return {}
`

/**
 * Purges part of one class.
 *
 * KEYS: totals, ordinary rows, longer rows, a key that never exists.
 * ARGV: prefix of the keys of profiles, class, first and last id to look at, instant before which a profile began ('inf' for all), rows
 * to look at. Gives how many were removed, and the id to go on after ('' at the end).
 */
const purgeScript: string = `${shared}
local prefix, class, before = ARGV[1], ARGV[2], tonumber(ARGV[5]) or math.huge
local rows = redis.call('XRANGE', rowsKey[class], ARGV[3], ARGV[4], 'COUNT', ARGV[6])
local ids, tokens = {}, {}
for _, entry in ipairs(rows) do
  local row = readRow(entry)
  if row.time < before then
    ids[#ids + 1] = row.id
    if row.token then tokens[#tokens + 1] = row.token end
    totals[class].count = totals[class].count - 1
    totals[class].bytes = totals[class].bytes - row.bytes
  end
end
if #ids > 0 then
  redis.call('XDEL', rowsKey[class], unpack(ids))
  unlink(prefix, tokens)
  saveTotals()
end
return { #ids, #rows < tonumber(ARGV[6]) and '' or rows[#rows][1] }
`

/** How long a primary waits for its replica, in milliseconds. */
const confirmMs = 500

/** Rows that one call of a purge looks at. */
const purgedAtOnce = 500

const classes: readonly KeepingClass[] = ['ordinary', 'longer']

interface Script {
  readonly text: string
  readonly hash: string
}

const [write, purge] = [writeScript, purgeScript].map((text): Script => ({
  text,
  hash: createHash('sha1').update(text).digest('hex'),
})) as [Script, Script]

export class PartitionWriter {
  readonly #use: () => RedisClient
  readonly #bounds: ProfileBounds
  readonly #watch = new ReplicaWatch()
  #unconfirmed = 0

  /** `bounds`: those of one partition. */
  constructor(use: () => RedisClient, bounds: ProfileBounds) {
    this.#use = use
    this.#bounds = bounds
  }

  /** Profiles that are stored, though no replica confirmed it. */
  get unconfirmed(): number {
    return this.#unconfirmed
  }

  /**
   * Stores rows, all or none. Rejects with `ProfileRefusedError` for tokens that exist, unless this is repeated: those count as stored then.
   * Rejects with `RedisFailure` if it failed or no replica confirmed it: it is to be repeated.
   */
  async write(partition: Partition, rows: readonly StoredRow[], isRepeated: boolean): Promise<void> {
    const client = this.#use()
    const node = client.primaryOf(partition.slot) ?? ''
    const isAsked = await this.#watch.isAsked(client, node)
    const askedAt = performance.now()
    const { maxCount, maxBytes, maxAgeMs } = this.#bounds
    const { totalsKey, ordinaryKey, longerKey, profilePrefix, index } = partition
    const [reply, replicas] = await runScript(
      client,
      partition,
      write,
      [totalsKey, ordinaryKey, longerKey, ...rows.map(({ token }) => profilePrefix + token)],
      [
        profilePrefix,
        index,
        maxCount,
        maxBytes,
        maxAgeMs,
        ...rows.flatMap(({ keepingClass, text, stored }) => [keepingClass, text, stored]),
      ],
      isAsked ? [['wait', 1, confirmMs]] : [],
    )
    const taken = new Set(Array.isArray(reply) ? reply.map((place) => rows[Number(place) - 1]) : [])
    if (!isRepeated) {
      const known = rows.filter((row) => taken.has(row))
      refuseProfiles(known, takenToken)
    }
    if (taken.size > 0 && taken.size < rows.length) {
      return this.write(
        partition,
        rows.filter((row) => !taken.has(row)),
        true,
      )
    }
    const isConfirmed = isAsked && Number(replicas) > 0
    if (isAsked && this.#watch.note(node, isConfirmed, askedAt))
      throw new RedisFailure('UNCONFIRMED', 'no replica confirmed it')
    if (!isConfirmed && this.#watch.hasSeenReplica) this.#unconfirmed += rows.length
  }

  /** Removes profiles that began before an instant, of those that are there now. Gives how many. */
  async purge(partition: Partition, newestSeq: number, before: number | undefined): Promise<number> {
    const client = this.#use()
    const { totalsKey, ordinaryKey, longerKey, noKey, profilePrefix } = partition
    const keys = [totalsKey, ordinaryKey, longerKey, noKey]
    let removed = 0
    for (const name of classes) {
      for (let from = '-'; from !== '';) {
        const args = [profilePrefix, name, from, `${newestSeq}-0`, before ?? 'inf', purgedAtOnce]
        const [reply] = await runScript(client, partition, purge, keys, args)
        const [count = 0, last = ''] = Array.isArray(reply) ? reply : []
        removed += Number(count)
        from = last === '' ? '' : `(${String(last)}`
      }
    }
    return removed
  }
}

/** The replies to a script and to what follows it in the same write. A server that does not know the script gets its text. */
async function runScript(
  client: RedisClient,
  { slot }: Partition,
  { hash, text }: Script,
  keys: readonly string[],
  args: readonly (string | number | Buffer)[],
  others: readonly RedisCommand[] = [],
): Promise<readonly RedisReply[]> {
  const parts = [keys.length, ...keys, ...args] as const
  let replies = await client.send(slot, [['evalsha', hash, ...parts], ...others])
  const [first] = replies
  if (first instanceof RedisFailure && first.code === 'NOSCRIPT') {
    replies = await client.send(slot, [['eval', text, ...parts], ...others])
  }
  return accepted(replies)
}

/**
 * How long a replica may miss writes before its primary is not waited for, in milliseconds. One that was replaced and does not know it yet
 * learns it meanwhile: it is replaced 7 to 9 s after the others lost it, with the node time-out that the guide recommends.
 */
const missedMs = 10_000

/** For how long, in milliseconds; then it is asked whether it has a replica. */
const restMs = 10_000

interface Node {
  /** When the first write after the last confirmed one began, by `performance.now()`; `null`: the last one was confirmed. */
  missedSince: number | null
  /** By `performance.now()`. */
  restsUntil: number
}

class ReplicaWatch {
  readonly #nodes = new Map<string, Node>()
  #hasSeenReplica = false

  /** Whether a write to this primary is to be confirmed. */
  async isAsked(client: RedisClient, name: string): Promise<boolean> {
    const node = this.#nodes.get(name)
    if (node !== undefined && node.restsUntil === 0) return true
    if (node !== undefined && node.restsUntil > performance.now()) return false
    const [info] = accepted(await client.ask(name, [['info', 'replication']]))
    const hasReplica = Number(infoOf(info)('connected_slaves')) > 0
    this.#nodes.set(name, { missedSince: null, restsUntil: hasReplica ? 0 : performance.now() + restMs })
    this.#hasSeenReplica ||= hasReplica
    return hasReplica
  }

  /** What a primary replied to a question that began at `askedAt`. Whether the write has to be sent again. */
  note(name: string, isConfirmed: boolean, askedAt: number): boolean {
    const node = this.#nodes.get(name)
    if (isConfirmed || node === undefined) {
      if (node !== undefined) node.missedSince = null
      return !isConfirmed
    }
    node.missedSince ??= askedAt
    if (performance.now() - node.missedSince < missedMs) return true
    node.missedSince = null
    node.restsUntil = performance.now() + restMs
    return false
  }

  /** Whether a write without confirmation is worth counting: a store without replicas is known for it from its start. */
  get hasSeenReplica(): boolean {
    return this.#hasSeenReplica
  }
}
