// Sends the request of a profile again, to the application that recorded it, and compares what came back.

import { setTimeout } from 'node:timers/promises'
import { performance } from '../../framework/timing/builtins.ts'
import { isWithin } from '../sampling/signed-token.ts'
import { dataOf } from '../stored-data.ts'
import type { Profile } from '../profile.ts'
import type { ProfileReader } from '../profile-store.ts'
import { editRequest, type ReplayEdits, type ReplayMessage } from './edited-request.ts'
import { repeatableRequest, type RepeatableRequest } from './repeatable-request.ts'
import { replayReport, type ReplayAnswer, type ReplayRefusal, type RunWithProfile } from './replay-report.ts'
import type { Replays } from './replays.ts'
import { sendReplay, type OwnAddress } from './send-replay.ts'

/** What to send again. */
export interface ReplayOrder extends ReplayEdits {
  /** Of the profile. */
  readonly token: string
  /** How often, one after the other, 1 to 100. Default: once. */
  readonly times?: number
  /** Whether somebody said yes to a method that may change something. */
  readonly isConfirmed: boolean
}

export const maxReplays = 100

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

/** What tells an application from others. */
interface RecordedBy {
  readonly service: string | null
  /** Name of the machine. */
  readonly host: string
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
  return { state: 'sent', report: replayReport(ready.profile, await sendAll(ready, order, tools)) }
}

async function sendAll(
  { profile, message, address }: Ready,
  { times = 1 }: ReplayOrder,
  tools: ReplayTools,
): Promise<RunWithProfile[]> {
  const runs: RunWithProfile[] = []
  for (let count = 0; count < times; count += 1) {
    const ticket = tools.replays.begin(profile.token)
    const sent = await sendReplay(address, message, { ticket, timeoutMs })
    tools.replays.end(ticket)
    runs.push({ sent, profile: sent.token === null ? undefined : await profileOf(sent.token, tools) })
    // What did not respond once holds up everybody else.
    if (sent.status === null) break
  }
  return runs
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
  const { address } = tools
  return address === null
    ? refusal('unreachable', 'The address of the application is not known: it does not listen on a port.')
    : { profile, message: edited.message, address }
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
