// A page that refuses: for trying out decisions about access, users and sessions. Registered in debug only.

import { accessRules, exchangeKey, HttpError, type Exchange } from '../../src/index.ts'

interface Clerk {
  readonly name: string
  readonly roles: readonly string[]
}

const clerk: Clerk = { name: 'Ada', roles: ['clerk'] }
const user = exchangeKey<Clerk>('user')
const session = exchangeKey<{ visits: number }>('session')

const access = accessRules<Clerk, 'show' | 'close'>({
  clerks: ({ roles }, action) => (action === 'show' && roles.includes('clerk') ? 'granted' : 'abstained'),
  owners: ({ roles }) =>
    roles.includes('owner') ? 'granted' : { vote: 'abstained', reason: 'the user does not own the shop' },
})

/** GET /demo/access: a clerk may see the till, and may not close it. 403. */
export async function showAccess(exchange: Exchange): Promise<never> {
  const { cookies } = exchange
  const kept = { visits: Number.parseInt(cookies.get('till_visits') ?? '', 10) || 0 }
  exchange.set(session, kept)
  exchange.set(user, clerk)
  kept.visits += 1
  cookies.set('till_visits', String(kept.visits))
  await access.ensure(clerk, 'show', 'till')
  await access.ensure(clerk, 'close', 'till')
  throw new HttpError(500, 'A clerk may close the till')
}
