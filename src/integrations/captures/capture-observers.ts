// What observes what the load hooks find. Loaded with the first use of one of them.

export { access } from '../../capture/activities/access.ts'
export { beginActivity } from '../../observe/activities/begin-activity.ts'
export { renderObserved } from '../../capture/begin-query.ts'
export { observe } from '../../libraries/observe.ts'
export { observeMongo } from '../../libraries/sources/mongo.ts'
export { observePg } from '../../libraries/sources/pg.ts'
export { observeSqlite } from '../../libraries/sources/sqlite.ts'
export { checkObserved, issuesIn } from '../../capture/validations.ts'
export { observePostgresQuery } from './postgres-queries.ts'
