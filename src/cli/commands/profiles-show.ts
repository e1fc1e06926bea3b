// `fanlight profiles show`: one profile, or the data of one collector.

import type { Engine } from '../../stores/engine.ts'
import { countOf } from '../../errors/page/page-budget.ts'
import { commandMethod, type Profile, tokenPattern } from '../../profiler/profile.ts'
import { statusMark, subjectOf } from '../../profiler/query/profile-facts.ts'
import type { Cli } from '../cli.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { factLines } from '../table.ts'

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
  const { items } = await engine.profiles.find({ token: profile.token }, { limit: 1 })
  const found = items[0]?.findings.join(', ') || 'none'
  const isCommand = profile.method === commandMethod
  cli.terminal.lines(factLines(cli.terminal, isCommand ? commandFacts(profile, found) : requestFacts(profile, found)))
}

type Facts = readonly (readonly [name: string, value: string])[]

function requestFacts(profile: Profile, found: string): Facts {
  return [
    ['token', profile.token],
    ['request', `${profile.method} ${subjectOf(profile)}`],
    ['status', statusMark(profile)],
    ...timeFacts(profile),
    ['route', profile.route ?? 'none'],
    ['handler', profile.handler],
    ['client', profile.ip],
    ...outcomeFacts(profile),
    ['issues', found],
    ['part of', profile.parentToken ?? 'none'],
    ['sub-requests', profile.childTokens.join(', ') || 'none'],
    ['panels', panelNames(profile)],
  ]
}

/** A command has no route, handler and client. */
function commandFacts(profile: Profile, found: string): Facts {
  return [
    ['token', profile.token],
    ['command', subjectOf(profile)],
    ['status', statusMark(profile)],
    ...timeFacts(profile),
    ...outcomeFacts(profile),
    ['issues', found],
    ['started by', profile.parentToken ?? 'none'],
    ['processes', profile.childTokens.join(', ') || 'none'],
    ['panels', panelNames(profile)],
  ]
}

function timeFacts(profile: Profile): Facts {
  return [
    ['version', profile.version ?? 'none'],
    ['time', new Date(profile.time).toISOString()],
    ['duration', `${profile.durationMs.toFixed(1)} ms`],
  ]
}

function outcomeFacts({ errorClass, logCount, logErrorCount }: Profile): Facts {
  return [
    ['error', errorClass ?? 'none'],
    ['log', `${countOf(logCount, 'line')}, ${logErrorCount} of them errors`],
  ]
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

/** By its token, or the newest for `latest`. Throws a CliError (3) where there is none. */
export async function findProfile(engine: Engine, token: string): Promise<Profile> {
  const wanted = token === 'latest' ? (await engine.profiles.find({}, { limit: 1 })).items[0]?.token : token
  const profile = wanted !== undefined && tokenPattern.test(wanted) ? await engine.profiles.read(wanted) : undefined
  if (profile !== undefined) return profile
  const problem = token === 'latest' ? 'there is no profile yet' : `there is no profile ${token.slice(0, 40)}`
  throw new CliError(`${problem} in ${engine.name}`, exitCodes.notFound)
}
