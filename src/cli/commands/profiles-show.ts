// `fanlight profiles show`: one profile, or what one collector gathered for it.

import type { Engine } from '../../engines/engine.ts'
import type { Profile } from '../../profiler/profile.ts'
import { statusMark, subjectOf } from '../../web-profiler/profile-headline.ts'
import type { Cli } from '../cli.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { factLines } from '../table.ts'
import { findProfile } from './find-profile.ts'

/** Options as they were typed. */
export interface ProfileShowOptions {
  readonly panel?: string
  readonly json?: true
}

/** Prints a profile. Throws a CliError (3) for a token or a panel that is not there. */
export async function showProfile(cli: Cli, engine: Engine, token: string, options: ProfileShowOptions): Promise<void> {
  const profile = await findProfile(engine, token)
  if (options.panel !== undefined) return cli.terminal.json(panelData(profile, options.panel))
  if (options.json === true) return cli.terminal.json(profile)
  const facts: readonly (readonly [string, string])[] = [
    ['token', profile.token],
    ['request', `${profile.method} ${subjectOf(profile)}`],
    ['status', statusMark(profile)],
    ['time', new Date(profile.time).toISOString()],
    ['duration', `${profile.durationMs.toFixed(1)} ms`],
    ['route', profile.route ?? 'none'],
    ['handler', profile.handler],
    ['client', profile.ip],
    ['error', profile.errorClass ?? 'none'],
    ['log', `${profile.logCount} lines, ${profile.logErrorCount} of them errors`],
    ['part of', profile.parentToken ?? 'nothing'],
    ['sub-requests', profile.childTokens.join(', ') || 'none'],
    ['panels', panelNames(profile)],
  ]
  cli.terminal.lines(factLines(cli.terminal, facts))
}

function panelData(profile: Profile, panel: string): unknown {
  if (Object.hasOwn(profile.data, panel)) return profile.data[panel]
  const names = panelNames(profile)
  throw new CliError(
    `profile ${profile.token} has no panel ${panel.slice(0, 40)}; there are: ${names}`,
    exitCodes.notFound,
  )
}

function panelNames(profile: Profile): string {
  return Object.keys(profile.data).sort().join(', ') || 'none'
}
