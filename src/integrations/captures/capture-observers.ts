// What observes the clients of each driver. Loaded with the first use of one.

export { observeMongo } from '../../profiler/capture/sources/mongo.ts'
export { observePg } from '../../profiler/capture/sources/pg.ts'
export { observeSqlite } from '../../profiler/capture/sources/sqlite.ts'
export { observePostgresQuery } from './postgres-queries.ts'
