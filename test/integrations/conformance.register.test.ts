// What `--import fanlight/register` sees in applications that do not know of us: real databases, every framework.

import { after } from 'node:test'
import { startPostgres, startRedis } from '../support/database-servers.ts'
import { registered } from './conformance/registered.ts'
import { columns, runColumn } from './support/conformance.ts'

const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
after(async () => {
  await Promise.all([postgres.stop(), redis.stop()])
})

const env = {
  CONFORMANCE_POSTGRES: postgres.socket,
  CONFORMANCE_REDIS: redis.socket,
}
// Older major versions with `npm run test:frameworks`.
const isWhole = process.env['CONFORMANCE'] === 'whole'
for (const column of columns.filter(({ versions }) => versions === undefined || (isWhole && versions === 'older'))) {
  runColumn(column, registered, { isRegistered: true, attached: 'never', env, hasBaseline: false })
}
