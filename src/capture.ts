// The public entry `fanlight/capture`: functions for what must be handed over, and what your
// own sources need.

export { beginCacheAccess } from './capture/begin-query.ts'
export { beginQuery } from './capture/begin-query.ts'
export { markCallSite } from './observe/call-site.ts'
export { observe } from './libraries/observe.ts'
export { observeMongo } from './libraries/sources/mongo.ts'
export { observePg } from './libraries/sources/pg.ts'
export { observeRedis } from './libraries/sources/redis.ts'
export { observeSqlite } from './libraries/sources/sqlite.ts'
export { sqlText, valueKey } from './observe/outgoing/query-text.ts'
