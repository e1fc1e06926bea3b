// Sends the request of a profile again, to the application that recorded it, and compares what came back.

import { setTimeout } from 'node:timers/promises'
import { performance } from '../../base/timing/builtins.ts'
import { isWithin } from '../../profiles/sampling/sampler.ts'
import { dataOf } from '../../profiles/stored-data.ts'
import type { Profile, ProfileSummary } from '../../observe/profile.ts'
import type { ProfileReader } from '../../profiles/profile-store.ts'
import { editRequest, sendReplay } from './send-replay.ts'
import type { ReplayEdits, ReplayMessage, ReplayRun } from './send-replay.ts'
import { repeatableRequest, type RepeatableRequest, type MissingValue } from '../../profiles/repeatable-request.ts'
import type { OwnAddress, RecordedBy, Replays } from '../../profiles/replays.ts'
import { profileHeader } from '../../http/recording/recording.ts'
import { type Blocks, heading, wideTable } from '../../observe/blocks/blocks.ts'
import { codeBrief } from '../../ran/code-part.ts'
import { ranCodeName, ranCodeOf, type RanCode } from '../../observe/ran-code.ts'
import { compareProfiles, summaryOf, type Compared, wholeComparison } from '../compare/compare.ts'
import { codeSpan } from '../../base/markdown-text.ts'
import { formatDuration } from '../../base/html/components.ts'
import { sectionTexts } from '../../observe/blocks/sections.ts'
import { profileTone, requestLine, statusMark } from '../../profiles/profile-facts.ts'

export interface ReplayOrder extends ReplayEdits {
  readonly token: string
  /** Whether the lines of its code are noted: sent twice, as the first one finds the functions. Default: no. */
  readonly values?: boolean
  /** How many applications run, where nobody named the one that is asked. Default: 0, it was named. */
  readonly guessed?: number
  /** Whether somebody said yes to a method that may change something. */
  readonly isConfirmed: boolean
}

/** The application that recorded a profile, as far as replays need it. */
export interface ReplayTools {
  readonly profiles: Pick<ProfileReader, 'read'>
  readonly replays: Replays
  readonly profilerPath: string
  /** Of this application; profiles of others may be in the same store. */
  readonly recordedBy: RecordedBy
  /** Where it listens; `null` if it cannot be known. */
  readonly address: OwnAddress | null
}

/** How long one response may take, in milliseconds. */
const timeoutMs = 30_000
/** How long the profile of a response is waited for, in milliseconds. */
const profileBudgetMs = 5000

/** Methods that change nothing (RFC 9110, section 9.2.1). */
export function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
}

/** Checks and sends. Rejects when the store fails. */
export async function replay(order: ReplayOrder, tools: ReplayTools): Promise<ReplayAnswer> {
  const ready = await readyToSend(order, tools)
  if ('reason' in ready) return { state: 'refused', ...ready }
  return { state: 'sent', report: replayReport(ready.profile, await sendIt(ready, order, tools)) }
}

/** A request that was sent again, with its profile if there is one. */
interface Replayed {
  readonly run: ReplayRun
  readonly profile: Profile | undefined
}

async function sendIt(
  { profile, message: { headers, ...message }, address }: Ready,
  { values = false }: ReplayOrder,
  tools: ReplayTools,
): Promise<Replayed> {
  const others = headers.filter(([name]) => name.toLowerCase() !== profileHeader)
  const asking = values ? [...others, [profileHeader, ranCodeName] as const] : headers
  const send = async (): Promise<Replayed> => {
    const ticket = tools.replays.begin(profile.token)
    const run = await sendReplay(address, { ...message, headers: asking }, { ticket, timeoutMs })
    tools.replays.end(ticket)
    return withProfile(run, run.token === null ? undefined : await profileOf(run.token, tools))
  }
  const first = await send()
  return values && first.profile && ranCodeOf(first.profile)?.state === 'functions' ? send() : first
}

/** Status and duration are those of the profile, if there is one. */
function withProfile(sent: ReplayRun, profile: Profile | undefined): Replayed {
  if (profile !== undefined) {
    const { token, status, durationMs } = profile
    return { profile, run: { token, status, durationMs, problem: sent.problem } }
  }
  const none = sent.token === null ? 'The response names no profile.' : `The profile ${sent.token} was not kept.`
  return { profile, run: { ...sent, token: null, problem: sent.problem ?? none } }
}

interface Ready {
  readonly profile: Profile
  readonly message: ReplayMessage
  readonly address: OwnAddress
}

async function readyToSend(order: ReplayOrder, tools: ReplayTools): Promise<Ready | ReplayRefusal> {
  const profile = await tools.profiles.read(order.token)
  if (profile === undefined) return refusal('gone', 'There is no such profile: it was not recorded or has expired.')
  const found = whatToSend(profile, tools)
  if ('reason' in found) return found
  const edited = editRequest(found, order)
  if (edited.state === 'invalid') return refusal('invalid', edited.problem)
  if (edited.state === 'incomplete') {
    return { reason: 'incomplete', problem: edited.problem, missing: edited.missing }
  }
  if (!isSafe(profile.method) && !order.isConfirmed) {
    return refusal('unconfirmed', `${profile.method} may change something. Confirm that it is to be sent again.`)
  }
  const address = placeOf(found, order, tools)
  return 'reason' in address ? address : { profile, message: edited.message, address }
}

/** The server that recorded the request; the one that is asked, where that is the only one or was named. */
function placeOf(
  { host, scheme }: RepeatableRequest,
  { guessed = 0 }: ReplayOrder,
  { address, recordedBy }: ReplayTools,
): OwnAddress | ReplayRefusal {
  const port = Number(/:(\d+)$/.exec(host)?.[1] ?? (scheme === 'https' ? 443 : 80))
  const servers = [...(address === null ? [] : [address]), ...(recordedBy.servers?.() ?? [])]
  const found = servers.find((server) => server.port === port)
  if (found !== undefined) return found
  if (guessed > 1 || (guessed === 1 && new Set(servers.map((server) => server.port)).size > 1)) {
    return refusal(
      'elsewhere',
      `No server here listens on port ${port}. Name the one to ask: --at http://127.0.0.1:3000`,
    )
  }
  return address ?? refusal('unreachable', 'The address of the application is not known: it does not listen on a port.')
}

/** The request of a profile that this application recorded. */
export function whatToSend(
  profile: Profile,
  { profilerPath, recordedBy }: Pick<ReplayTools, 'profilerPath' | 'recordedBy'>,
): RepeatableRequest | ReplayRefusal {
  const repeatable = repeatableRequest(profile)
  if (repeatable.state === 'impossible') return refusal('impossible', repeatable.problem)
  const { request } = repeatable
  if (isWithin(request.target.replace(/\?.*$/s, ''), profilerPath)) {
    return refusal('impossible', 'This is a request to the profiler.')
  }
  const host = dataOf(profile, 'config')?.['host']
  if (profile.service !== recordedBy.service) {
    const names = `by the service ${profile.service ?? 'without a name'}; this is ${recordedBy.service ?? 'one without a name'}`
    return refusal('elsewhere', `This request was recorded ${names}. Send it again from the profiler of that service.`)
  }
  if (host !== recordedBy.host) {
    const where = typeof host === 'string' ? `on the machine ${host.slice(0, 100)}` : 'on an unknown machine'
    return refusal(
      'elsewhere',
      `This request was recorded ${where}. A replay goes only to the application that recorded it.`,
    )
  }
  return request
}

function refusal(reason: ReplayRefusal['reason'], problem: string): ReplayRefusal {
  return { reason, problem, missing: [] }
}

/** The response ends before its profile is made. */
async function profileOf(token: string, { profiles }: ReplayTools): Promise<Profile | undefined> {
  const until = performance.now() + profileBudgetMs
  for (let waitMs = 5; ; waitMs = Math.min(200, waitMs * 2)) {
    const profile = await profiles.read(token)
    if (profile !== undefined || performance.now() > until) return profile
    await setTimeout(waitMs)
  }
}

/** What became of a replay. Plain JSON. */
export interface ReplayReport {
  /** The recorded request. */
  readonly of: ProfileSummary
  readonly run: ReplayRun
  /** A is the replay; B is the recorded request. `null` if the replay has no profile. */
  readonly compared: Compared | null
  /** Of the replay; `null` if nobody asked for it, or it was not noted. */
  readonly code: RanCode | null
  /** The same in words, what is decisive first. */
  readonly codeBrief: Blocks
}

export interface ReplayRefusal {
  readonly reason: 'gone' | 'impossible' | 'elsewhere' | 'incomplete' | 'invalid' | 'unconfirmed' | 'unreachable'
  /** For people: what is wrong, and what to do. */
  readonly problem: string
  /** What must be given; empty unless the reason is `incomplete`. */
  readonly missing: readonly MissingValue[]
}

export type ReplayAnswer =
  | { readonly state: 'sent'; readonly report: ReplayReport }
  | ({ readonly state: 'refused' } & ReplayRefusal)

/** Compares what came back with the recorded request. */
function replayReport(of: Profile, replayed: Replayed): ReplayReport {
  const { run, profile } = replayed
  const noted = profile && ranCodeOf(profile)
  const code = noted?.state === 'lines' ? noted : null
  return {
    of: summaryOf(of),
    run,
    compared: profile === undefined ? null : comparedWith(of, profile),
    code,
    codeBrief: profile === undefined || code === null ? [] : codeBrief(code, profile),
  }
}

function comparedWith(of: Profile, replayed: Profile): Compared {
  return {
    state: 'compared',
    a: { kind: 'profile', summary: summaryOf(replayed) },
    b: { kind: 'profile', summary: summaryOf(of) },
    comparison: compareProfiles(replayed, of),
  }
}

/** `isCompared`: with the differences to the recorded request. */
export function replayMarkdown(report: ReplayReport, { isCompared }: { readonly isCompared: boolean }): string {
  const blocks = isCompared ? wholeReplay(report) : replayBlocks(report)
  return `${[`# Replay of ${codeSpan(requestLine(report.of))}`, ...sectionTexts(blocks, codeSpan)].join('\n\n')}\n`
}

/** With the differences to the recorded request. */
export function wholeReplay(report: ReplayReport): Blocks {
  const { compared } = report
  const difference = compared === null ? [] : [heading('Compare profiles'), ...wholeComparison(compared)]
  return [...replayBlocks(report), ...difference]
}

export function replayBlocks({ of, run, codeBrief }: ReplayReport): Blocks {
  const { token, status, durationMs } = of
  const recorded = { mark: statusMark({ status, method: of.method }), tone: profileTone(of) }
  const { problem } = run
  const replayed = [
    'replay',
    run.status === null ? 'no response' : { mark: String(run.status), tone: profileTone({ status: run.status }) },
    formatDuration(run.durationMs),
    [run.token === null ? null : { profile: run.token }, problem === null ? null : { recorded: problem }],
  ]
  const first = ['recorded', recorded, formatDuration(durationMs), { profile: token }]
  return [
    ...(codeBrief.length === 0 ? [] : [heading('Code'), ...codeBrief]),
    heading('Replay'),
    wideTable(
      'Replay',
      'request',
      ['Request', 'Status', { number: 'Duration' }, 'Profile'],
      [{ cells: first }, { cells: replayed }],
    ),
  ]
}
