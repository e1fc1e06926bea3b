// `fanlight profiles import`: puts profiles of another machine into the store, never over those that are there.

import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Engine } from '../../stores/engine.ts'
import { isProfileRefusedError } from '../../profiler/profile-store.ts'
import type { Profile } from '../../profiler/profile.ts'
import { Redactor } from '../../framework/redact/redactor.ts'
import { maskProfile } from '../../profiler/query/mask-profile.ts'
import { maxFileBytes, ProfileFileError, readProfileFile } from '../../profiler/query/profile-file.ts'
import type { Cli } from '../cli.ts'
import { CliError, exitCodes } from '../exit-codes.ts'

/** Writes all profiles of a file, or none. Throws a CliError that names the file and what is wrong with it. */
export async function importProfiles(
  cli: Cli,
  engine: Engine,
  file: string,
  options: { readonly json?: true },
): Promise<void> {
  const profiles = readProfiles(cli, file)
  try {
    await engine.profiles.write(profiles)
  } catch (cause) {
    if (!isProfileRefusedError(cause)) throw cause
    throw new CliError(`${file} was not imported: ${cause.message}`, exitCodes.failed, { cause })
  }
  const tokens = profiles.map(({ token }) => token)
  const kept = await Promise.all(tokens.map(async (token) => (await engine.profiles.read(token)) !== undefined))
  if (!kept.every(Boolean))
    throw new CliError(`${file} was not kept in whole: it is older than ${engine.name} keeps profiles`)
  if (options.json === true) return cli.terminal.json({ imported: tokens })
  cli.terminal.lines([
    `${tokens.length} ${tokens.length === 1 ? 'profile' : 'profiles'} imported: ${tokens.join(', ')}`,
  ])
}

function readProfiles(cli: Cli, file: string): readonly Profile[] {
  const redactor = new Redactor()
  try {
    return readProfileFile(readBounded(resolve(cli.cwd, file))).map((profile) => maskProfile(profile, redactor).profile)
  } catch (cause) {
    if (cause instanceof ProfileFileError || cause instanceof RangeError) {
      throw new CliError(`${file} cannot be imported: ${cause.message}`, exitCodes.failed, { cause })
    }
    const { code } = cause as NodeJS.ErrnoException
    if (code === undefined) throw cause
    throw new CliError(`${file} cannot be read (${code})`, code === 'ENOENT' ? exitCodes.notFound : exitCodes.failed, {
      cause,
    })
  }
}

function readBounded(path: string): string {
  const stats = statSync(path)
  if (!stats.isFile()) throw new ProfileFileError('it is no file')
  if (stats.size > maxFileBytes) throw new ProfileFileError(`it has ${stats.size} bytes; allowed are ${maxFileBytes}`)
  return readFileSync(path, 'utf8')
}
