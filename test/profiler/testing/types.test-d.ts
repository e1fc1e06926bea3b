// What the types of `fanlight/testing` allow and refuse; checked by the compiler, not run.

import { createApp, type App } from '../../../src/index.ts'
import type { Profile } from '../../../src/profiler.ts'
import { expectProfile, profileRequest, type ProfileBudgets } from '../../../src/testing.ts'

declare const app: App
declare const profile: Profile

const { response, profile: own } = await profileRequest(app, '/orders')
response.status satisfies number
own satisfies Profile
await profileRequest(app, { method: 'POST', url: '/orders', headers: { accept: 'text/html' }, body: { id: 1 } })

expectProfile(profile).toStayWithin({ queries: 5, ownCpuMs: 20, outgoing: 2, nPlusOne: 0 })
const all: Required<ProfileBudgets> = {
  queries: 1,
  ownCpuMs: 1,
  outgoing: 1,
  nPlusOne: 0,
  durationMs: 1,
  logErrors: 0,
  bytes: 1,
}
expectProfile(profile).toStayWithin(all) satisfies void

// @ts-expect-error there is no such budget
expectProfile(profile).toStayWithin({ querys: 5 })
// @ts-expect-error a budget is a number
expectProfile(profile).toStayWithin({ queries: '5' })
// @ts-expect-error the promise of a profile is none
expectProfile(profileRequest(app, '/'))
// @ts-expect-error an application is needed, not its options
await profileRequest({ routes: [] }, '/')

const commands = {
  greet: ({ args }: { readonly args: readonly string[] }) => args.length,
  quiet: () => undefined,
} as const
void createApp({ routes: app.routes, commands })
// @ts-expect-error an exit code is a number
void createApp({ routes: app.routes, commands: { greet: () => 'done' } })
;(await app.profileCommand({ name: 'nightly' }, () => 'done')) satisfies string
