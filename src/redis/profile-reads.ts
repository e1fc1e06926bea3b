// What is read of a store in Redis: a profile, a list, groups, counts. Rows come newest first from all partitions, page by page as far as
// somebody asks for them, and are judged as a store in memory judges its own.

import { gathererOf, type GatheringAsked, Gathering } from '../profiles/gather.ts'
import type {
  Gathered,
  GroupBy,
  GroupRequest,
  PageRequest,
  ProfileGroups,
  ProfilePage,
  ProfileStoreStats,
  ProfileOrder,
} from '../profiles/profile-store.ts'
import type { ProfileBounds } from '../stores/engine.ts'
import {
  statsOf,
  type KeepingClass,
  type Totals,
  compareBy,
  pageLimit,
  pageOf,
  searchedNewest,
  seqOfCursor,
  cursorOf,
} from '../stores/profile-keeping.ts'
import { groupProfiles, maxGrouped } from '../profiles/query/group-profiles.ts'
import { headerLength, jsonOf, timeOfRow, searchRangeOf, summaryOfRow, tokenOfRow } from './profile-rows.ts'
import { headCommand, headOf, type PartitionHead, type Reading } from './reading.ts'
import { tokenPattern, type Profile, type ProfileSummary } from '../observe/profile.ts'
import { matchesFilter, type ProfileFilter } from '../profiles/query/filters.ts'
import { seqStep, type Partition } from './partitions.ts'
import type { RedisCommand, RedisReply } from './redis-command.ts'

/** The JSON of a profile; `undefined` for an unknown token. Rejects if its partition does not respond, and for a damaged body. */
export async function readProfile(reading: Reading, token: string): Promise<string | undefined> {
  const partition = reading.partitionOf(token)
  const replies = await reading.send(partition, [['get', partition.profilePrefix + token]], true)
  if (replies === undefined) throw reading.failureOf(partition)
  const [value] = replies
  return value instanceof Uint8Array ? jsonOf(value.subarray(headerLength)) : undefined
}

export async function findProfiles(
  reading: Reading,
  filter: ProfileFilter,
  page: PageRequest = {},
): Promise<ProfilePage> {
  const search = await ProfileSearch.begin(reading)
  const { beside, countUpTo } = page
  const limit = beside === undefined ? pageLimit(page.limit) : 1
  const range = search.rangeOf(page)
  const { found, searched } = range === undefined ? nothing : await search.page(filter, page, range, limit + 1)
  return {
    ...pageOf(found, limit, 0, ({ summary }) => summary),
    newest: search.newest(page.newerThan),
    ...(searched !== undefined && { searchedNewest: searched }),
    ...(countUpTo !== undefined && { matched: await search.count(filter, page, found, countUpTo) }),
    ...reading.missing,
  }
}

export async function groupStored(
  reading: Reading,
  filter: ProfileFilter,
  by: GroupBy,
  request?: GroupRequest,
): Promise<ProfileGroups> {
  const search = await ProfileSearch.begin(reading)
  const { found, searched } = await search.scan(filter, search.all, maxGrouped + 1, mostSearched(filter))
  const looked = found.slice(0, maxGrouped).map(({ summary }) => summary)
  const groups = groupProfiles(looked, by, found.length > maxGrouped || searched !== undefined, request)
  return { ...groups, ...reading.missing }
}

/** Bodies that are asked for at once. */
const readAtOnce = 50

export async function gatherStored<Asked extends GatheringAsked>(
  reading: Reading,
  filter: ProfileFilter,
  asked: Asked,
): Promise<Gathered<Asked>> {
  const search = await ProfileSearch.begin(reading)
  const { found, searched } = await search.scan(filter, search.all, maxGrouped + 1, mostSearched(filter))
  const gathering = new Gathering(gathererOf(asked))
  const most = Math.min(found.length, maxGrouped)
  for (let from = 0; from < most && !reading.isOver; from += readAtOnce) {
    const wanted = found.slice(from, from + readAtOnce).filter(({ summary }) => gathering.wants(summary))
    // One that is damaged, or gone meanwhile, is left out.
    const bodies = wanted.map(({ summary }) => readProfile(reading, summary.token).catch(() => undefined))
    for (const [index, json] of (await Promise.all(bodies)).entries()) {
      const summary = wanted[index]?.summary
      // Those before it may have been enough.
      if (json === undefined || summary === undefined || !gathering.wants(summary)) continue
      gathering.add(JSON.parse(json) as Profile, json.length)
    }
  }
  const isCut = found.length > most || searched !== undefined || reading.isOver
  return { ...gathering.found(isCut), ...reading.missing }
}

/** Counts of the partitions that respond. `bounds`: those of the whole store. */
export async function readStats(reading: Reading, bounds: ProfileBounds): Promise<ProfileStoreStats> {
  const replies = await reading.sendToEach((partition) => [
    headCommand(partition),
    ['xrange', partition.ordinaryKey, '-', '+', 'COUNT', 1],
    ['xrange', partition.longerKey, '-', '+', 'COUNT', 1],
  ])
  const heads = replies.map((reply) => headOf(reply?.[0]))
  const times = reading.partitions.flatMap((partition, index) =>
    [1, 2].flatMap((place) => {
      const [oldest] = rowsOf(replies[index]?.[place], partition)
      return oldest === undefined ? [] : (timeOfRow(oldest.text) ?? [])
    }),
  )
  const totals = { ordinary: sumOf(heads, 'ordinary'), longer: sumOf(heads, 'longer') }
  return { ...statsOf(totals, bounds, times.length === 0 ? null : Math.min(...times)), ...reading.missing }
}

function sumOf(heads: readonly PartitionHead[], name: KeepingClass): Totals {
  const sum = { count: 0, bytes: 0 }
  for (const { totals } of heads) {
    sum.count += totals[name].count
    sum.bytes += totals[name].bytes
  }
  return sum
}

/** A profile, and its place in the order of writing. */
interface Found {
  readonly seq: number
  readonly summary: ProfileSummary
}

interface FoundProfiles {
  readonly found: readonly Found[]
  /** How many of the newest were searched, if older ones were not. */
  readonly searched?: number
}

/** Numbers between two, both excluded; one lower bound for each partition. */
interface Range {
  readonly above: readonly number[]
  readonly below: number
}

/** Rows that one search looks at, at most: SQLite's indices are not there. About half a second of this thread. */
const maxSearched = 50_000

const classes: readonly KeepingClass[] = ['ordinary', 'longer']
const nothing: FoundProfiles = { found: [] }

/** One search of the store as it was when it began. */
class ProfileSearch {
  readonly #reading: Reading
  /** By partition; `undefined` for one that did not respond. */
  readonly #heads: readonly (PartitionHead | undefined)[]

  private constructor(reading: Reading, heads: readonly (PartitionHead | undefined)[]) {
    this.#reading = reading
    this.#heads = heads
  }

  static async begin(reading: Reading): Promise<ProfileSearch> {
    const replies = await reading.sendToEach((partition) => [headCommand(partition)])
    return new ProfileSearch(
      reading,
      replies.map((reply) => (reply === undefined ? undefined : headOf(reply[0]))),
    )
  }

  get all(): Range {
    return { above: this.#heads.map(() => 0), below: Number.POSITIVE_INFINITY }
  }

  /** A partition that did not respond is as far as the list that asks was before, or as the others: what it has is not news. */
  newest(newerThan: string | undefined): string {
    const known = this.#heads.map((head) => head?.newestSeq)
    const greatest = Math.max(0, ...known.map((seq) => seq ?? 0))
    const before = newerThan === undefined ? undefined : readNewestCursor(newerThan, known.length)
    return newestCursor(known.map((seq, index) => seq ?? before?.[index] ?? greatest))
  }

  /** `undefined` for a malformed cursor. */
  rangeOf({ after, newerThan }: PageRequest): Range | undefined {
    const below = after === undefined ? Number.POSITIVE_INFINITY : seqOfCursor(after)
    const above = newerThan === undefined ? this.all.above : readNewestCursor(newerThan, this.#heads.length)
    if (below === undefined || above === undefined) return undefined
    // A store that was emptied may count from the beginning again.
    return { above: above.map((seq, index) => (seq > (this.#heads[index]?.newestSeq ?? seq) ? 0 : seq)), below }
  }

  async page(filter: ProfileFilter, page: PageRequest, range: Range, limit: number): Promise<FoundProfiles> {
    const { order = 'newest', beside, after } = page
    const most = mostSearched(filter, order)
    if (order === 'newest' && beside === undefined) return this.scan(filter, range, limit, most)
    const whole = { above: range.above, below: Number.POSITIVE_INFINITY }
    const row = beside === undefined ? await this.#bySeq(range.below) : await this.#byToken(beside.token)
    const place = row === undefined ? undefined : foundOf(row)
    if (place === undefined && (beside !== undefined || after !== undefined)) return nothing
    if (order === 'newest' && place !== undefined) {
      if (beside?.side === 'after') return this.scan(filter, { ...whole, below: place.seq }, limit, most)
      const above = whole.above.map((seq) => Math.max(seq, place.seq))
      return this.scan(filter, { ...whole, above }, limit, most, 'oldest first')
    }
    const compare = compareBy(order)
    const { found, searched } = await this.scan(filter, whole, Number.POSITIVE_INFINITY, most)
    const list = found.toSorted(compare)
    const isBefore = beside?.side === 'before'
    const from =
      place === undefined
        ? list
        : isBefore
          ? list.filter((one) => compare(one, place) < 0).reverse()
          : list.filter((one) => compare(one, place) > 0)
    return { found: from.slice(0, limit), ...(searched !== undefined && { searched }) }
  }

  /** How many match on all pages, at most so many. */
  async count(filter: ProfileFilter, page: PageRequest, found: readonly Found[], most: number): Promise<number> {
    const { order = 'newest', beside, after, newerThan } = page
    const isFirst = order === 'newest' && beside === undefined && after === undefined && newerThan === undefined
    // The first page that is not full has them all.
    if (isFirst && found.length <= pageLimit(page.limit)) return Math.min(most, found.length)
    return (await this.scan(filter, this.all, most, mostSearched(filter, order))).found.length
  }

  /** Looks at so many rows, at most, until enough of them pass the filter. */
  async scan(
    filter: ProfileFilter,
    range: Range,
    limit: number,
    most: number,
    order: RowOrder = 'newest first',
  ): Promise<FoundProfiles> {
    if (filter.token !== undefined) {
      const row = await this.#byToken(filter.token)
      const above = range.above[row?.partition.index ?? 0] ?? 0
      const isInRange = row !== undefined && row.seq > above && row.seq < range.below
      return { found: isInRange ? await this.#judge([row], filter) : [] }
    }
    const rows = new MergedRows(this.#reading, this.#sources(range), order, Math.min(limit, 1000))
    const found: Found[] = []
    let looked = 0
    for (let size = limit; found.length < limit; size *= 2) {
      const taken = await rows.take(Math.min(Math.max(size, 50), 1000, most - looked))
      if (taken.length === 0) break
      looked += taken.length
      for (const one of await this.#judge(taken, filter)) if (found.length < limit) found.push(one)
    }
    const isCut = found.length < limit && (this.#reading.isOver || (await rows.take(1)).length > 0)
    return { found, ...(isCut && { searched: looked }) }
  }

  #sources({ above, below }: Range): readonly RowSource[] {
    return this.#reading.partitions.flatMap((partition, index) => {
      const head = this.#heads[index]
      const from = above[index] ?? 0
      if (head === undefined || head.newestSeq <= from) return []
      const limits = { partition, above: from, below: Math.min(below, head.newestSeq + 1) }
      return classes.flatMap((name) => (head.totals[name].count > 0 ? { ...limits, key: partition[`${name}Key`] } : []))
    })
  }

  async #judge(rows: readonly FoundRow[], filter: ProfileFilter): Promise<readonly Found[]> {
    const { text, ...others } = filter
    const read = rows.flatMap((row) => {
      const found = foundOf(row)
      const isWanted = found !== undefined && matchesFilter(found.summary, others, () => '')
      return isWanted ? { ...found, row } : []
    })
    if (text === undefined) return read
    const texts = new Map<FoundRow, string>()
    const unclear = read.filter(({ summary }) => !matchesFilter(summary, filter, () => ''))
    await Promise.all(
      this.#reading.partitions.map((partition) =>
        this.#readTexts(
          partition,
          unclear.flatMap(({ row }) => (row.partition === partition ? row : [])),
          texts,
        ),
      ),
    )
    return read.filter(({ row, summary }) => matchesFilter(summary, filter, () => texts.get(row) ?? ''))
  }

  /** What a search looks at beside the rows, for rows of one partition. */
  async #readTexts(partition: Partition, rows: readonly FoundRow[], texts: Map<FoundRow, string>): Promise<void> {
    const asked: FoundRow[] = []
    const commands: RedisCommand[] = []
    for (const row of rows) {
      const range = searchRangeOf(row.text)
      if (range === undefined) continue
      asked.push(row)
      commands.push(['getrange', partition.profilePrefix + tokenOfRow(row.text), ...range])
    }
    if (commands.length === 0) return
    const replies = (await this.#reading.send(partition, commands)) ?? []
    for (const [index, row] of asked.entries()) texts.set(row, String(replies[index] ?? ''))
  }

  async #byToken(token: string): Promise<FoundRow | undefined> {
    if (!tokenPattern.test(token)) return undefined
    const partition = this.#reading.partitionOf(token)
    const key = partition.profilePrefix + token
    const [header] = (await this.#reading.send(partition, [['getrange', key, 0, headerLength - 1]])) ?? []
    const seq = Number.parseInt(String(header), 10)
    return Number.isNaN(seq) ? undefined : this.#bySeq(seq)
  }

  /** A number names its partition, like a token. */
  async #bySeq(seq: number): Promise<FoundRow | undefined> {
    const partition = this.#reading.partitions[seq % seqStep]
    if (partition === undefined) return undefined
    const id = `${seq}-0`
    const replies = await this.#reading.send(
      partition,
      classes.map((name) => ['xrange', partition[`${name}Key`], id, id] as const),
    )
    return (replies ?? []).flatMap((reply) => rowsOf(reply, partition))[0]
  }
}

/** How many rows a search looks at, at most. */
function mostSearched(filter: ProfileFilter, order?: ProfileOrder): number {
  return Math.min(maxSearched, searchedNewest(filter, order))
}

function foundOf({ seq, text }: FoundRow): Found | undefined {
  const summary = summaryOfRow(text)
  return summary === undefined ? undefined : { seq, summary }
}

/** By partition: its greatest number, 0 for none. The greatest of all comes first, then how far behind it each partition is. */
function newestCursor(newest: readonly number[]): string {
  const greatest = Math.max(...newest)
  if (newest.length === 1 || greatest === 0) return cursorOf(greatest)
  const steps = stepsOf(greatest)
  return [cursorOf(greatest), ...newest.map((seq) => (seq === 0 ? '' : (steps - stepsOf(seq)).toString(36)))].join('-')
}

/**
 * The numbers of such a cursor, or the one number of another cursor for every partition; `undefined` for a malformed one. Of a store with
 * another number of partitions: 0 for each.
 */
function readNewestCursor(cursor: string, partitions: number): readonly number[] | undefined {
  const [first = '', ...others] = cursor.split('-')
  const greatest = seqOfCursor(first)
  if (greatest === undefined || !others.every((part) => /^[0-9a-z]{0,10}$/.test(part))) return undefined
  if (others.length === 0) return Array.from({ length: partitions }, () => greatest)
  if (others.length !== partitions) return Array.from({ length: partitions }, () => 0)
  const steps = stepsOf(greatest)
  return others.map((part, index) => (part === '' ? 0 : (steps - Number.parseInt(part, 36)) * seqStep + index))
}

function stepsOf(seq: number): number {
  return Math.floor(seq / seqStep)
}

interface FoundRow {
  readonly seq: number
  readonly partition: Partition
  readonly text: string
}

/** One class of rows in one partition, between two numbers, both excluded. */
interface RowSource {
  readonly partition: Partition
  readonly key: string
  readonly above: number
  readonly below: number
}

type RowOrder = 'newest first' | 'oldest first'

/** Rows of one page: about 2 ms of the server's processor. */
const maxPage = 1000

interface Line {
  readonly source: RowSource
  rows: readonly FoundRow[]
  /** Place in `rows` of the next one to give. */
  at: number
  /** The number that the next page starts from, excluded. */
  from: number
  pageSize: number
  isAtEnd: boolean
}

class MergedRows {
  readonly #reading: Reading
  readonly #order: RowOrder
  #lines: readonly Line[]

  /** `expected`: how many will be asked for, about. */
  constructor(reading: Reading, sources: readonly RowSource[], order: RowOrder, expected: number) {
    this.#reading = reading
    this.#order = order
    const pageSize = Math.min(maxPage, 8 + Math.ceil((2 * expected) / Math.max(1, sources.length)))
    this.#lines = sources.map((source) => ({
      source,
      rows: [],
      at: 0,
      from: order === 'newest first' ? source.below : source.above,
      pageSize,
      isAtEnd: false,
    }))
  }

  /** The next ones, fewer only at the end or when the time for the reading is over. */
  async take(count: number): Promise<readonly FoundRow[]> {
    const taken: FoundRow[] = []
    while (taken.length < count && !this.#reading.isOver) {
      if (this.#lines.some(({ rows, at, isAtEnd }) => !isAtEnd && at === rows.length)) await this.#fill()
      const line = this.#next()
      const row = line?.rows[line.at]
      if (line === undefined || row === undefined) break
      line.at += 1
      taken.push(row)
    }
    return taken
  }

  /** The line whose next row comes first. */
  #next(): Line | undefined {
    const sign = this.#order === 'newest first' ? 1 : -1
    let next: Line | undefined
    let best = -Infinity
    for (const line of this.#lines) {
      const seq = (line.rows[line.at]?.seq ?? -Infinity) * sign
      if (seq <= best || line.at === line.rows.length) continue
      best = seq
      next = line
    }
    return next
  }

  /** Reads the next page of every line that has run out, and of those that soon will: each turn costs a way to the servers. */
  async #fill(): Promise<void> {
    const lines = this.#lines.filter((line) => !line.isAtEnd && line.rows.length - line.at <= line.pageSize / 4)
    await Promise.all(lines.map((line) => this.#read(line)))
    this.#lines = this.#lines.filter((line) => !line.isAtEnd || line.at < line.rows.length)
  }

  async #read(line: Line): Promise<void> {
    const { partition, key, above, below } = line.source
    const command =
      this.#order === 'newest first'
        ? (['xrevrange', key, idBefore(line.from), idAfter(above), 'COUNT', line.pageSize] as const)
        : (['xrange', key, idAfter(line.from), idBefore(below), 'COUNT', line.pageSize] as const)
    const [reply] = (await this.#reading.send(partition, [command])) ?? []
    const page = rowsOf(reply, partition)
    line.rows = [...line.rows.slice(line.at), ...page]
    line.at = 0
    line.isAtEnd = page.length < line.pageSize
    line.from = page.at(-1)?.seq ?? line.from
    line.pageSize = Math.min(maxPage, line.pageSize * 2)
  }
}

/** The rows of a reply to XRANGE or XREVRANGE. */
function rowsOf(reply: RedisReply | undefined, partition: Partition): readonly FoundRow[] {
  if (!Array.isArray(reply)) return []
  return reply.map(([id, fields]) => ({
    seq: Number.parseInt(String(id), 10),
    partition,
    text: String(Array.isArray(fields) ? fields[1] : ''),
  }))
}

function idAfter(seq: number): string {
  return seq === 0 ? '-' : `(${seq}-0`
}

function idBefore(seq: number): string {
  return seq === Number.POSITIVE_INFINITY ? '+' : `(${seq}-0`
}
