// `fanlight profiles show`: one profile, or the data of one collector.

import type { Engine } from '../../stores/engine.ts'
import { withLaterData } from '../../profiles/later-data.ts'
import { facts } from '../../observe/blocks/blocks.ts'
import type { Profile } from '../../observe/profile.ts'
import { NotedReads } from '../../profiles/query/missing-parts.ts'
import { readNamedProfile } from '../../profiles/query/named-profile.ts'
import { factsOf } from '../../profiles/profile-facts.ts'
import type { Cli } from '../cli.ts'
import { CliError, exitCodes } from '../command.ts'
import { printBlocks } from '../terminal-blocks.ts'

export interface ProfileShowOptions {
  readonly panel?: string
  readonly json?: true
}

/** Prints a profile. Throws a CliError (3) for a token or a panel that is not there. */
export async function showProfile(cli: Cli, engine: Engine, token: string, options: ProfileShowOptions): Promise<void> {
  const profile = await findProfile(cli, engine, token)
  if (options.panel !== undefined) return cli.terminal.json(panelData(profile, options.panel))
  if (options.json === true) return cli.terminal.json(profile)
  const panels = { recorded: panelNames(profile) }
  printBlocks(cli.terminal, [
    facts('Profile', [['Token', { code: profile.token }], ...factsOf(profile), ['Panels', panels]]),
  ])
}

function panelData(profile: Profile, panel: string): unknown {
  if (Object.hasOwn(profile.data, panel)) return profile.data[panel]
  const names = panelNames(profile)
  throw new CliError(`profile ${profile.token} has no panel ${panel.slice(0, 40)}; Use ${names}`, exitCodes.notFound)
}

function panelNames(profile: Profile): string {
  return Object.keys(profile.data).sort().join(', ') || 'none'
}

/** By its token, or the newest for `latest`. Throws a CliError (3) if there is none. */
export async function findProfile(cli: Cli, engine: Engine, token: string): Promise<Profile> {
  const profiles = new NotedReads(engine.profiles)
  const profile = await readNamedProfile(profiles, token)
  cli.noteMissing(profiles.missing)
  if (profile !== undefined) return withLaterData(profiles, profile)
  const none = profiles.missing === undefined ? 'there is no profile yet' : 'there is no profile within reach'
  const problem = token === 'latest' ? none : `there is no profile ${token.slice(0, 40)}`
  throw new CliError(`${problem} in ${engine.name}`, exitCodes.notFound)
}
