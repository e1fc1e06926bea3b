// The public entry `fanlight/capture`: functions for what must be handed over, and what your
// own sources need.

export { beginCacheAccess } from './profiler/capture/begin-cache-access.ts'
export { beginQuery } from './profiler/capture/begin-query.ts'
export { markCallSite } from './profiler/capture/call-site.ts'
export { observe } from './profiler/capture/observe.ts'
export { observeMongo } from './profiler/capture/sources/mongo.ts'
export { observePg } from './profiler/capture/sources/pg.ts'
export { drizzleLogger, kyselyLog, observeKnex } from './profiler/capture/sources/query-builders.ts'
export { observeRedis } from './profiler/capture/sources/redis.ts'
export { observeSqlite } from './profiler/capture/sources/sqlite.ts'
export { sqlText, valueKey } from './profiler/capture/query-text.ts'
