// What a store says of profiles that it does not take.

import { brandError } from '../base/http/http-error.ts'

/** A batch was not written because of some of its profiles; without them it can be written again. */
export class ProfileRefusedError extends Error {
  readonly code = 'ERR_PROFILE_REFUSED'
  /** The profiles at fault, as they were sent; never empty. */
  readonly tokens: readonly string[]
  /** What is wrong with them: `the token exists already`. */
  readonly reason: string

  constructor(tokens: readonly string[], reason: string, options?: ErrorOptions) {
    const names = tokens.map((token) => JSON.stringify(token)).join(', ')
    super(`${tokens.length === 1 ? 'Profile' : 'Profiles'} ${names} refused: ${reason}.`, options)
    this.tokens = tokens
    this.reason = reason
  }
}
export const isProfileRefusedError: (value: unknown) => value is ProfileRefusedError = brandError(
  ProfileRefusedError,
  'ProfileRefusedError',
)

/** What stores say of profiles that they have already, and of those that they have no room for. */
export const takenToken = 'the token exists already'
export const tooLarge = 'it is larger than the store may be'

/** Throws the error for these profiles, if there are any. */
export function refuseProfiles(profiles: readonly { readonly token: string }[], reason: string): void {
  if (profiles.length === 0) return
  throw new ProfileRefusedError(
    profiles.map(({ token }) => token),
    reason,
  )
}
