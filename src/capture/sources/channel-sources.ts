// The libraries that publish what they send by themselves: nothing has to be set up for them.

import type { StatementOwner } from '../begin-statement.ts'
import { mongooseSource } from './mongoose.ts'
import { mysql2Source } from './mysql2.ts'
import { ioredisSource, nodeRedisSource } from './redis.ts'
import { TracingSource } from './tracing-source.ts'

/** One source for each library; whether it is there is not asked. */
export function channelSources(owner: StatementOwner): readonly TracingSource[] {
  return [nodeRedisSource, ioredisSource, mysql2Source, mongooseSource].map((parts) => new TracingSource(owner, parts))
}
