// The public entry `fanlight/capture`: functions for what must be handed over, and what your
// own sources need.

export { beginCacheAccess } from './observe/capture/begin-cache-access.ts'
export { beginQuery } from './observe/capture/begin-query.ts'
export { markCallSite } from './observe/capture/call-site.ts'
export { observe } from './libraries/observe.ts'
export { observeMongo } from './libraries/sources/mongo.ts'
export { observePg } from './libraries/sources/pg.ts'
export { observeRedis } from './libraries/sources/redis.ts'
export { observeSqlite } from './libraries/sources/sqlite.ts'
export { sqlText, valueKey } from './observe/capture/query-text.ts'
