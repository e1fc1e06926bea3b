// Finds the profile that a command names.

import type { Engine } from '../../stores/engine.ts'
import { tokenPattern, type Profile } from '../../profiler/profile.ts'
import { CliError, exitCodes } from '../exit-codes.ts'

/** By its token, or the newest for `latest`. Throws a CliError (3) where there is none. */
export async function findProfile(engine: Engine, token: string): Promise<Profile> {
  const wanted = token === 'latest' ? (await engine.profiles.find({}, { limit: 1 })).items[0]?.token : token
  const profile = wanted !== undefined && tokenPattern.test(wanted) ? await engine.profiles.read(wanted) : undefined
  if (profile !== undefined) return profile
  const problem = token === 'latest' ? 'there is no profile yet' : `there is no profile ${token.slice(0, 40)}`
  throw new CliError(`${problem} in ${engine.name}`, exitCodes.notFound)
}
