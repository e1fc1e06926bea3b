// Runs code as the handler of a request of a whole application, and hands out what its profile says.

import { request as httpRequest, type RequestOptions } from 'node:http'
import { json, RouteCollection, type Exchange } from '../../src/index.ts'
import type { Profile } from '../../src/observe/profile.ts'
import { startApp, type RunningApp, type RunningAppOptions } from './running-app.ts'
import { until } from './until.ts'

/** What a handler does before it responds. */
export type Work = (exchange: Exchange) => unknown

/** An application of one route, `/`, that does `work` and answers; what it throws is swallowed. */
export async function startWorking(work: Work, options: RunningAppOptions = {}): Promise<RunningApp> {
  const routes = new RouteCollection()
  routes.get('work', '/', async (exchange) => {
    try {
      await work(exchange as Exchange)
    } catch {
      // The test looks at what was captured.
    }
    return json({ done: true })
  })
  return startApp({ ...options, routes })
}

/** Sends one request by `inject`, and reads its profile. */
export async function profileOf(
  { app, profiles }: RunningApp,
  headers: Readonly<Record<string, string>> = {},
): Promise<Profile> {
  const answer = await app.inject({ headers })
  const token = answer.headers.get('x-debug-token') ?? ''
  let profile: Profile | undefined
  await until(async () => (profile = await profiles.read(token)) !== undefined)
  if (profile === undefined) throw new Error('there is no profile')
  return profile
}

/** A profile without the lines of code that its request passed through: those of a test hold the values that it looks for. */
export function withoutCode(profile: Profile): Profile {
  const { passed: _, ...data } = profile.data
  return { ...profile, data }
}

/** Calls with `node:http` and reads the whole answer. */
export function call(url: string, options: RequestOptions = {}, body?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, options, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (piece: string) => (text += piece))
      response.on('end', () => resolve(text))
      response.on('error', reject)
    })
    request.on('error', reject)
    request.end(body)
  })
}
