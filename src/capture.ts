// The public entry `fanlight/capture`: databases and caches that are observed only when they are handed over, and what a
// source of one's own is made of.

export { beginStatement } from './profiler/capture/begin-statement.ts'
export { markCallSite } from './profiler/capture/call-site.ts'
export { observeIoredis } from './profiler/capture/sources/ioredis-client.ts'
export { observeMongo } from './profiler/capture/sources/mongodb.ts'
export { observePg, observePgClient } from './profiler/capture/sources/pg.ts'
export { drizzleLogger, kyselyLog, observeKnex } from './profiler/capture/sources/query-builders.ts'
export { observeRedisPool } from './profiler/capture/sources/redis-pool.ts'
export { observeBetterSqlite3, observeNodeSqlite } from './profiler/capture/sources/sqlite.ts'
export { sqlText } from './profiler/capture/statement-text.ts'
export { valueKey } from './profiler/capture/value-key.ts'
