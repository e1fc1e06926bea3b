// Asks the store again and again for what this process keeps in memory: the lock, and whether collections have changed. One
// write for all questions, in the background.

import type { RedisCommand, RedisReply } from './redis-command.ts'
import type { RedisConnection } from './redis-connection.ts'
import { RedisFailure, toEngineError } from './redis-failure.ts'

/** Milliseconds between two looks, on average: what others change is known within a second. */
const everyMs = 500

/** How long one look may take, in milliseconds. */
const lookMs = 1000

interface Question {
  readonly command: RedisCommand
  take(reply: RedisReply): void
  /** Gets an `EngineError`. */
  fail(error: unknown): void
}

export class RedisPoll {
  readonly #connection: RedisConnection
  readonly #slot: number
  readonly #questions = new Set<Question>()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  /** All questions are about keys of one slot. */
  constructor(connection: RedisConnection, slot: number) {
    this.#connection = connection
    this.#slot = slot
  }

  /** Asks from now on, at once first. Returns what ends it. */
  add(question: Question): () => void {
    this.#questions.add(question)
    if (this.#questions.size === 1) this.#again(0)
    return () => {
      this.#questions.delete(question)
      if (this.#questions.size === 0) clearTimeout(this.#timer)
    }
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #again(ms: number): void {
    clearTimeout(this.#timer)
    if (this.#isClosed) return
    this.#timer = setTimeout(() => void this.#look().finally(() => this.#next()), ms).unref()
  }

  /** Processes that started together spread. */
  #next(): void {
    if (this.#questions.size > 0) this.#again(everyMs * (0.8 + 0.4 * Math.random()))
  }

  async #look(): Promise<void> {
    const questions = [...this.#questions]
    try {
      const { client } = this.#connection.use()
      const commands = questions.map(({ command }) => command)
      const replies = await client.send(this.#slot, commands, { patienceMs: lookMs })
      for (const [index, { take, fail }] of questions.entries()) {
        const reply = replies[index] ?? null
        if (reply instanceof RedisFailure) fail(toEngineError(reply, this.#connection.name))
        else take(reply)
      }
    } catch (thrown) {
      for (const { fail } of questions) fail(toEngineError(thrown, this.#connection.name))
    }
  }
}
