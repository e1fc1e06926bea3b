// Lets the processes of a store share a budget: each adds its demand to the next two seconds and reads those of the second that
// runs. The seconds are those of the server, which every process estimates from its last reply.

import { createHash } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { Fleet, FleetReport, FleetShare } from '../../profiler/fleet.ts'
import { demandClass, processesOf, shareOf, type DemandClass } from '../../profiler/fleet-share.ts'
import { pairsOf, timeOf, type RedisCommand, type RedisReply } from './redis-command.ts'
import type { RedisConnection } from './redis-connection.ts'

/** All keys have this tag, so they are in one slot: `fanlight:{pace}:<second>`, `fanlight:{pace}:errors:<minute>`. */
const tag = 'fanlight:{pace}'

/** How many seconds ahead a process reports: one that is late by a second or two still counts. */
const ahead = 2
/** Seconds after which nobody asks for the demands of a second, or the errors of a minute. */
const keepDemands = 10
const keepErrors = 120

/** A short key for a family, whose text may be long. */
const familyLetters = 16

export class RedisFleet implements Fleet {
  readonly #connection: RedisConnection
  /** What this process reported, by second, from the one that runs. */
  readonly #reported = new Map<number, number>()
  /** Clock of the server minus our monotonic one, in milliseconds; `undefined` before the first reply. */
  #offset: number | undefined

  constructor(connection: RedisConnection) {
    this.#connection = connection
  }

  /** Rejects with an `EngineError`. */
  async exchange({ budget, demand, errors }: FleetReport): Promise<FleetShare> {
    if (this.#offset === undefined) await this.#send([])
    const second = Math.floor(this.#serverTime / 1000)
    const coming = secondsAfter(second).filter((one) => !this.#reported.has(one))
    const errorsKey = `${tag}:errors:${Math.floor(second / 60)}`
    const counts = [...errors].map(([family, count]) => ['hincrby', errorsKey, shortName(family), count] as const)
    const [classes, ...rest] = await this.#send([
      ['hgetall', `${tag}:${second}`],
      ...counts,
      ...(counts.length === 0 ? [] : [['expire', errorsKey, keepErrors] as const]),
      ...coming.flatMap((one) => demandCommands(one, demand)),
    ])
    for (const one of coming) this.#reported.set(one, demand)
    for (const one of this.#reported.keys()) if (one < second) this.#reported.delete(one)
    const reported = demandsOf(classes)
    return {
      perSecond: shareOf(budget, reported, this.#reported.get(second) ?? null),
      processes: Math.max(1, processesOf(reported)),
      errors: new Map([...errors.keys()].map((family, index) => [family, Number(rest[index])])),
    }
  }

  get #serverTime(): number {
    return performance.now() + (this.#offset ?? 0)
  }

  async #send(commands: readonly RedisCommand[]): Promise<readonly RedisReply[]> {
    const sentAt = performance.now()
    const [time, ...others] = await this.#connection.ask(tag, [['time'], ...commands])
    // The server looked at its clock half-way, as far as anybody can tell.
    const lookedAt = (sentAt + performance.now()) / 2
    this.#offset = timeOf(time) - lookedAt
    return others
  }
}

function secondsAfter(second: number): readonly number[] {
  return Array.from({ length: ahead }, (_, index) => second + 1 + index)
}

function demandCommands(second: number, demand: number): readonly RedisCommand[] {
  const key = `${tag}:${second}`
  const name = demandClass(demand)
  return [
    ['hincrby', key, `processes:${name}`, 1],
    ['hincrby', key, `demand:${name}`, demand],
    ['expire', key, keepDemands],
  ]
}

/** The classes of a second from the names and values of its hash. */
function demandsOf(reply: RedisReply | undefined): readonly DemandClass[] {
  const found = new Map<string, { processes: number; demand: number }>()
  for (const [field, value] of pairsOf(reply)) {
    const [kind, name = ''] = field.split(':')
    const one = found.get(name) ?? { processes: 0, demand: 0 }
    one[kind === 'demand' ? 'demand' : 'processes'] = Number(value)
    found.set(name, one)
  }
  return [...found.values()]
}

function shortName(family: string): string {
  return createHash('sha256').update(family).digest('base64url').slice(0, familyLetters)
}
