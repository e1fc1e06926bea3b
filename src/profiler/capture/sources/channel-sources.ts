// The libraries that publish what they send by themselves: nothing has to be set up for them.

import type { StatementOwner } from '../begin-statement.ts'
import { mongooseSource } from './mongoose.ts'
import { Mysql2Source } from './mysql2.ts'
import { ioredisSource, nodeRedisSource } from './redis.ts'
import { TracingSource } from './tracing-source.ts'

/** Listens to what is published. */
export interface ChannelSource {
  start(): void
  stop(): void
}

/** The sources of all these libraries; whether a library is there is not asked. */
export function channelSources(owner: StatementOwner): readonly ChannelSource[] {
  const parts = [nodeRedisSource, ioredisSource, mongooseSource]
  return [...parts.map((part) => new TracingSource(owner, part)), new Mysql2Source(owner)]
}
