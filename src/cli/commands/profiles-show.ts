// `fanlight profiles show`: one profile, or the data of one collector.

import type { Engine } from '../../stores/engine.ts'
import { countOf } from '../../errors/page/page-budget.ts'
import { withBrowserData } from '../../profiler/browser/read-browser-data.ts'
import { withJobRuns } from '../../profiler/runs/read-job-runs.ts'
import { runTypeOf, type Profile } from '../../profiler/profile.ts'
import { NotedReads } from '../../profiler/query/missing-parts.ts'
import { readNamedProfile } from '../../profiler/query/named-profile.ts'
import { findingTexts, statusMark, subjectOf } from '../../profiler/query/profile-facts.ts'
import type { Cli } from '../cli.ts'
import { CliError, exitCodes } from '../command.ts'
import { factLines } from '../terminal.ts'

export interface ProfileShowOptions {
  readonly panel?: string
  readonly json?: true
}

/** Prints a profile. Throws a CliError (3) for a token or a panel that is not there. */
export async function showProfile(cli: Cli, engine: Engine, token: string, options: ProfileShowOptions): Promise<void> {
  const profile = await findProfile(cli, engine, token)
  if (options.panel !== undefined) return cli.terminal.json(panelData(profile, options.panel))
  if (options.json === true) return cli.terminal.json(profile)
  const runType = runTypeOf(profile.method)
  const { method, parentToken, childTokens, logCount, logErrorCount } = profile
  const children = childTokens.join(', ') || 'none'
  const facts: readonly (readonly [name: string, value: string])[] = [
    ['token', profile.token],
    runType === undefined ? ['request', `${method} ${subjectOf(profile)}`] : [runType, subjectOf(profile)],
    ['status', statusMark(profile)],
    ['service', profile.service ?? 'none'],
    ['version', profile.version ?? 'none'],
    ['time', new Date(profile.time).toISOString()],
    ['duration', `${profile.durationMs.toFixed(1)} ms`],
    ...(runType === undefined ? requestFacts(profile) : []),
    ...(profile.replayOf === null ? [] : [['replay of', profile.replayOf] as const]),
    ...(profile.tags.length === 0 ? [] : [['tags', profile.tags.join(', ')] as const]),
    ['error', profile.errorClass ?? 'none'],
    ['log', `${countOf(logCount, 'line')}, ${logErrorCount} of them errors`],
    ['findings', findingTexts(profile).join(', ') || 'none'],
    [runType === undefined ? 'part of' : 'started by', parentToken ?? 'none'],
    [runType === undefined ? 'sub-requests' : 'processes', children],
    ['panels', panelNames(profile)],
  ]
  cli.terminal.lines(factLines(cli.terminal, facts))
}

function requestFacts({ route, handler, ip }: Profile): readonly (readonly [name: string, value: string])[] {
  return [
    ['route', route ?? 'none'],
    ['handler', handler],
    ['client', ip],
  ]
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
  if (profile !== undefined) return withJobRuns(profiles, await withBrowserData(profiles, profile))
  const none = profiles.missing === undefined ? 'there is no profile yet' : 'there is no profile within reach'
  const problem = token === 'latest' ? none : `there is no profile ${token.slice(0, 40)}`
  throw new CliError(`${problem} in ${engine.name}`, exitCodes.notFound)
}
