// What observes what the load hooks find. Loaded with the first use of one of them.

export { access } from '../../profiler/activities/access.ts'
export { beginActivity } from '../../profiler/activities/begin-activity.ts'
export { renderObserved } from '../../profiler/capture/begin-template.ts'
export { observe } from '../../profiler/capture/observe.ts'
export { observeMongo } from '../../profiler/capture/sources/mongo.ts'
export { observePg } from '../../profiler/capture/sources/pg.ts'
export { observeSqlite } from '../../profiler/capture/sources/sqlite.ts'
export { checkObserved, issuesIn } from '../../profiler/capture/validations.ts'
export { observePostgresQuery } from './postgres-queries.ts'
