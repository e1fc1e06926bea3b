// Commands on their way: those that have a result, and those that a node has not done and another attempt may do.

import type { RedisCommand, RedisReplies, RedisReply } from './redis-command.ts'
import { RedisFailure } from './redis-failure.ts'

/** Replies of a node that has done nothing: the slot is elsewhere, or the node cannot work at the moment. */
const passing: ReadonlySet<string> = new Set(['MOVED', 'ASK', 'TRYAGAIN', 'CLUSTERDOWN', 'LOADING', 'MASTERDOWN'])

const asking: RedisCommand = ['asking']

export class Delivery {
  readonly #commands: readonly RedisCommand[]
  readonly #replies: (RedisReply | RedisFailure)[] = []
  /** By their places in the list. */
  #open: readonly number[]

  constructor(commands: readonly RedisCommand[]) {
    this.#commands = commands
    this.#open = commands.map((_, index) => index)
  }

  /** The commands to send. A node that is about to get the slot wants to hear `ASKING` before each. */
  next(isAsking: boolean): readonly RedisCommand[] {
    const commands = this.#open.map((index) => this.#commands[index] ?? asking)
    return isAsking ? commands.flatMap((command) => [asking, command]) : commands
  }

  /** Takes what came back for them. Gives the first failure that another attempt may mend. */
  take(given: RedisReplies, isAsking: boolean): RedisFailure | undefined {
    const replies = isAsking ? given.filter((_, index) => index % 2 === 1) : given
    for (const [at, index] of this.#open.entries()) this.#replies[index] = replies[at] ?? null
    const first = replies.findIndex(isPassing)
    if (first < 0) return undefined
    // What waits for replicas waits for the commands before it.
    this.#open = this.#open.filter(
      (index, at) => isPassing(replies[at]) || (at > first && this.#commands[index]?.[0] === 'wait'),
    )
    return replies.find(isPassing)
  }

  /** One reply for each command, in the order of the list. */
  get replies(): RedisReplies {
    return this.#replies
  }
}

/** Whether a node has done nothing, and another attempt may. */
export function isPassing(reply: RedisReply | RedisFailure | undefined): reply is RedisFailure {
  return reply instanceof RedisFailure && passing.has(reply.code)
}
