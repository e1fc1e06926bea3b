// The public entry `fanlight/capture`: databases and caches that are observed only when they are handed over, and what a
// source of one's own is made of.

export { beginStatement } from './capture/begin-statement.ts'
export { markCallSite } from './capture/call-site.ts'
export { observeIoredis } from './capture/sources/ioredis-client.ts'
export { observeMongo } from './capture/sources/mongodb.ts'
export { observePg, observePgClient } from './capture/sources/pg.ts'
export { drizzleLogger, kyselyLog, observeKnex } from './capture/sources/query-builders.ts'
export { observeRedisPool } from './capture/sources/redis-pool.ts'
export { observeBetterSqlite3, observeNodeSqlite } from './capture/sources/sqlite.ts'
export { sqlText } from './capture/statement-text.ts'
export { valueKey } from './capture/value-key.ts'
