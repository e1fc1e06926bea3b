// Sends a request through an application without a socket and gives its profile beside the answer.

import type { InjectedResponse, InjectRequest } from '../../framework/node/inject.ts'
import type { ProfileReader } from '../profile-reader.ts'
import type { Profile } from '../profile.ts'

/** What is needed of an application; an `App` has it. */
export interface ProfiledApp {
  inject(request: InjectRequest): Promise<InjectedResponse>
  /** `null` where nothing is recorded. */
  readonly profiles: ProfileReader | null
}

/** An answer and what was recorded of it. */
export interface ProfiledResponse {
  readonly response: InjectedResponse
  readonly profile: Profile
}

/**
 * Sends one request, a path or a whole one, and reads its profile. Rejects with an Error that says why there is none: the
 * application records nothing, or this answer was not recorded.
 */
export async function profileRequest(app: ProfiledApp, request: string | InjectRequest): Promise<ProfiledResponse> {
  const { profiles } = app
  if (profiles === null) {
    throw new Error('This application records nothing because debug is off. Set APP_ENV=test, or APP_DEBUG=1 in dev.')
  }
  const asked = typeof request === 'string' ? { url: request } : request
  const response = await app.inject(asked)
  const what = `${asked.method ?? 'GET'} ${asked.url ?? '/'}`
  const token = response.headers.get('x-debug-token')
  if (token === undefined) {
    throw new Error(
      `${what} was answered with ${response.status} and not recorded: profiler pages, refused requests and maintenance ` +
        'responses have no profile.',
    )
  }
  const profile = await profiles.read(token)
  if (profile === undefined)
    throw new Error(`${what} has no profile ${token}: the store has already removed it, or never stored it.`)
  return { response, profile }
}
