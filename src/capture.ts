// The public entry `fanlight/capture`: databases and caches that are observed only when they are handed over, and what your
// own sources need.

export { beginQuery } from './profiler/capture/begin-query.ts'
export { markCallSite } from './profiler/capture/call-site.ts'
export { observeMongo } from './profiler/capture/sources/mongo.ts'
export { observePg } from './profiler/capture/sources/pg.ts'
export { drizzleLogger, kyselyLog, observeKnex } from './profiler/capture/sources/query-builders.ts'
export { observeRedis } from './profiler/capture/sources/redis.ts'
export { observeSqlite } from './profiler/capture/sources/sqlite.ts'
export { sqlText, valueKey } from './profiler/capture/query-text.ts'
