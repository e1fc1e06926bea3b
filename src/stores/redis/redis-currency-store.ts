// The currencies of a store in Redis. All of them are kept in memory and refreshed in the background, so that no page waits
// for the network.

import { randomUUID } from 'node:crypto'
import type { CurrencyStore, KnownRecord } from '../../plugins/currency/currency-store.ts'
import type { Currency } from '../../plugins/currency/currency.ts'
import { checkCurrencies } from '../check-records.ts'
import { EngineError } from '../engine-error.ts'
import { writeConfirmed } from './confirmed-write.ts'
import { pairsOf, type RedisReply } from './redis-command.ts'
import type { RedisConnection } from './redis-connection.ts'
import type { RedisPoll } from './redis-poll.ts'

/** The key of the collection: a hash of records as JSON by their codes. It lies beside the lock, so that one look finds both. */
export const currenciesKey = 'fanlight:{lock}:currencies'

/** Another text after each write. */
const versionField = '@version'

const unknownRecord: KnownRecord = { currency: undefined }

interface Collection {
  readonly version: string | null
  readonly byCode: ReadonlyMap<string, KnownRecord>
}

export class RedisCurrencyStore implements CurrencyStore {
  readonly name: string
  readonly #connection: RedisConnection
  readonly #poll: RedisPoll
  #known: Collection | undefined
  #knownAt: number | null = null
  #problem: unknown
  #reading: Promise<Collection> | undefined
  #isWatching = false

  constructor(connection: RedisConnection, poll: RedisPoll) {
    this.name = connection.name
    this.#connection = connection
    this.#poll = poll
  }

  /** When what is known was last found to be right, milliseconds since 1970; `null`: never. */
  get knownAt(): number | null {
    return this.#knownAt
  }

  knownByCode(code: string): KnownRecord | undefined {
    this.#watch()
    return this.#known === undefined ? undefined : (this.#known.byCode.get(code) ?? unknownRecord)
  }

  /** Rejects at once while nothing is known and the store does not respond. */
  async findByCode(code: string): Promise<Currency | undefined> {
    const known = this.knownByCode(code)
    if (known !== undefined) return known.currency
    if (this.#problem !== undefined) throw this.#problem
    return (await this.#read()).byCode.get(code)?.currency
  }

  async upsert(records: readonly Currency[]): Promise<void> {
    checkCurrencies(this.name, records)
    if (records.length === 0) return
    const fields = records.flatMap((record) => [record.code, JSON.stringify(record)])
    const command = ['hset', currenciesKey, versionField, randomUUID(), ...fields] as const
    await writeConfirmed(this.#connection, { key: currenciesKey, command })
    // What is being read may be older than the write.
    await this.#reading?.catch(() => undefined)
    await this.#read()
  }

  async list(): Promise<readonly Currency[]> {
    const { byCode } = await this.#read()
    const currencies = [...byCode.values()].flatMap(({ currency }) => currency ?? [])
    return currencies.sort((one, other) => (one.code < other.code ? -1 : 1))
  }

  #watch(): void {
    if (this.#isWatching) return
    this.#isWatching = true
    this.#poll.add({
      command: ['hget', currenciesKey, versionField],
      take: (reply) => this.#look(reply),
      fail: (error) => (this.#problem = error),
    })
  }

  #look(version: RedisReply): void {
    if (this.#known !== undefined && version === this.#known.version) {
      this.#problem = undefined
      this.#knownAt = Date.now()
    } else this.#read().catch(() => undefined)
  }

  /** One reading at a time. */
  #read(): Promise<Collection> {
    this.#reading ??= this.#readOnce().finally(() => (this.#reading = undefined))
    return this.#reading
  }

  async #readOnce(): Promise<Collection> {
    try {
      const [reply] = await this.#connection.ask(currenciesKey, [['hgetall', currenciesKey]])
      this.#known = this.#collectionOf(reply)
      this.#knownAt = Date.now()
      this.#problem = undefined
      return this.#known
    } catch (thrown) {
      this.#problem = thrown
      throw thrown
    }
  }

  /** Records that did not change stay the same objects. */
  #collectionOf(reply: RedisReply | undefined): Collection {
    const byCode = new Map<string, KnownRecord>()
    let version: string | null = null
    for (const [code, json] of pairsOf(reply)) {
      if (code === versionField) version = json
      else byCode.set(code, this.#recordOf(code, json))
    }
    return { version, byCode }
  }

  #recordOf(code: string, json: string): KnownRecord {
    const known = this.#known?.byCode.get(code)
    if (known !== undefined && JSON.stringify(known.currency) === json) return known
    try {
      return { currency: Object.freeze(JSON.parse(json) as Currency) }
    } catch {
      throw new EngineError('ERR_STORE_RECORD', `The currency ${code} of ${this.name} cannot be read: it is not JSON.`)
    }
  }
}
