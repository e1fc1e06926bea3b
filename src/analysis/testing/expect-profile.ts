// Profiles a request in a test, and says what its profile must hold.

import { AssertionError } from 'node:assert'
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { http } from '../../base/http/node-http.ts'
import { membersOf, namesOf } from '../../base/members.ts'
import { setTimeout } from '../../base/timing/builtins.ts'
import type { Profile } from '../../observe/profile.ts'
import { formatDuration } from '../../base/html/components.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import { saidParts } from '../parts.ts'
import { dataOf, readPart, type StoredPartName, type StoredParts } from '../../profiles/stored-data.ts'
import { sendAsked, type InjectedResponse, type InjectRequest } from '../../http/node/inject.ts'
import type { ProfileReader } from '../../profiles/profile-store.ts'
import { nearestName } from '../../base/options/check-options.ts'

/** What can be asked of a profile. */
export interface ProfileExpectation {
  /**
   * Throws an AssertionError when a number is above its budget: `actual` and `expected` hold the numbers at fault, the
   * message the profile in a few lines and where it is shown. Throws a TypeError for an unknown budget, and an Error for a
   * number that the profile does not have: what was not measured is never taken for 0.
   */
  toStayWithin(budgets: ProfileBudgets): void
}

/** Begins an expectation: `expectProfile(profile).toStayWithin({ queries: 5, nPlusOne: 0 })`. Throws a TypeError for anything but a profile. */
export function expectProfile(profile: Profile): ProfileExpectation {
  checkProfile(profile)
  return {
    toStayWithin(budgets) {
      const checks = checkBudgets(profile, budgets)
      const over = checks.filter(({ actual, allowed }) => actual > allowed)
      if (over.length === 0) return
      throw new AssertionError({
        message: `${headline(over)}\n\n${profileReport(profile, checks)}\n`,
        actual: numbers(over, ({ actual }) => actual),
        expected: numbers(over, ({ allowed }) => allowed),
        operator: 'toStayWithin',
        stackStartFn: this.toStayWithin,
      })
    },
  }
}

// A forgotten `await` before what gives a profile is the usual mistake, and types cannot help where tests are JavaScript.
function checkProfile(profile: unknown): void {
  const isProfile = typeof profile === 'object' && profile !== null && 'token' in profile && 'data' in profile
  if (isProfile) return
  const given = profile instanceof Promise ? 'a promise; await it first' : String(profile)
  throw new TypeError(`expectProfile() takes a profile, not ${given}`)
}

function headline(over: readonly BudgetCheck[]): string {
  const parts = over.map(({ name, actual, allowed }) => `${name} ${round(actual)} (at most ${allowed})`)
  return `The request is over its budget: ${parts.join(', ')}`
}

function numbers(over: readonly BudgetCheck[], valueOf: (check: BudgetCheck) => number): Record<string, number> {
  return Object.fromEntries(over.map((check) => [check.name, valueOf(check)]))
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

/** Entries of a section, and characters of one. */
const maxEntries = 5
const maxTextLength = 160

/** The report; `checks` are the budgets that were asked for. */
function profileReport(profile: Profile, checks: readonly BudgetCheck[]): string {
  const { method, url, status, durationMs, route, errorClass } = profile
  const response = status === 0 ? 'no response' : String(status)
  const facts = [
    route === null ? 'no route' : `route ${route}`,
    ...(errorClass === null ? [] : [`exception ${errorClass}`]),
  ]
  const said = ['database', 'time'].flatMap((panel) => saidParts(profile, panel, oneLine) ?? [])
  return [
    `${oneLine(`${method} ${url}`)}\n${response} in ${formatDuration(durationMs)}, ${oneLine(facts.join(', '))}`,
    numberRows(profile, checks).join('\n'),
    ...said.flatMap(({ title, items = [] }) =>
      items.length === 0 ? [] : [title, ...items.slice(0, maxEntries)].join('\n'),
    ),
    link(profile),
  ].join('\n\n')
}

function numberRows(profile: Profile, checks: readonly BudgetCheck[]): string[] {
  return budgetNames.map((name) => {
    const check = checks.find((one) => one.name === name)
    const actual = numberOf(profile, name)
    const allowed = check === undefined ? '' : `at most ${check.allowed}`
    const mark = check !== undefined && check.actual > check.allowed ? '← over' : ''
    const spent = actual === null ? '–' : String(round(actual))
    return `  ${name.padEnd(10)} ${spent.padStart(8)}  ${allowed.padEnd(14)} ${mark}`.trimEnd()
  })
}

/** The address that the response names, on the host of the request; else the token alone. */
function link(profile: Profile): string {
  const field = dataOf(profile, 'request')?.responseHeaders.find(([name]) => name === 'x-debug-token-link')
  const address = field === undefined ? null : URL.parse(field[1], profile.url)
  return `Profile: ${address === null ? profile.token : address.href}`
}

/** Without controls, which a terminal would obey, and short. */
function oneLine(text: string): string {
  return cutText(text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' '), maxTextLength)
}

/** What is needed of an application of this library; an `App` has it. */
interface OwnApp {
  inject(request: InjectRequest): Promise<InjectedResponse>
  /** `null` if nothing is recorded. */
  readonly profiles: ProfileReader | null
}

/** An application of this library, a listener of `node:http`, such as an Express application, or a server. */
export type ProfiledApp = OwnApp | Server | ((request: IncomingMessage, response: ServerResponse) => unknown)

/** What `profileRequest` gives. */
export interface ProfiledResponse {
  /** As `app.inject()` gives it. */
  readonly response: InjectedResponse
  /** What was recorded of the request. */
  readonly profile: Profile
}

/**
 * Sends one request, a path or a whole one, and reads its profile. Rejects with an Error that says why there is none: the
 * application records nothing, or not this request. What is no application of this library is served on a free port meanwhile.
 */
export async function profileRequest(app: ProfiledApp, request: string | InjectRequest): Promise<ProfiledResponse> {
  const asked = typeof request === 'string' ? { url: request } : request
  if (typeof app !== 'function' && 'profiles' in app) return ofOwnApp(app, asked)
  if (typeof app !== 'function' && !(app instanceof http.Server)) throw new TypeError(notServed)
  const server = app instanceof http.Server ? app : http.createServer(app)
  const { listening } = server
  if (!listening) await once(server.listen(0, '127.0.0.1'), 'listening')
  try {
    return await overSocket(server, asked)
  } finally {
    if (!listening) server.close()
  }
}

const notServed =
  'profileRequest() takes an application of Fanlight, a listener of node:http or a server: the application of Express, app.callback() of Koa, app.server of Fastify, app.getHttpServer() of Nest'

async function ofOwnApp(app: OwnApp, asked: InjectRequest): Promise<ProfiledResponse> {
  const { profiles } = app
  if (profiles === null) {
    throw new Error('This application records nothing because debug is off. Set APP_ENV=test, or APP_DEBUG=1 in dev.')
  }
  const response = await app.inject(asked)
  const token = response.headers.get('x-debug-token')
  if (token === undefined) {
    throw new Error(
      `${named(asked)} got a ${response.status} and was not recorded: profiler pages, refused requests and maintenance ` +
        'responses have no profile.',
    )
  }
  const profile = await profiles.read(token)
  if (profile === undefined)
    throw new Error(`${named(asked)} has no profile ${token}: the store has already removed it, or never stored it.`)
  return { response, profile }
}

/** How often the profile is asked for, and the time between, in milliseconds: it is stored soon after its response. */
const tries = 200
const pauseMs = 10

async function overSocket(server: Server, asked: InjectRequest): Promise<ProfiledResponse> {
  const { port } = membersOf(server.address())
  const response = await sendAsked(Number(port), asked)
  const link = response.headers.get('x-debug-token-link')
  if (link === undefined) {
    throw new Error(
      `${named(asked)} got a ${response.status} and was not recorded. Set NODE_ENV=test, and call fanlight(app) or ` +
        'require fanlight/register.',
    )
  }
  for (let count = 0; count < tries; count += 1) {
    const { status, body } = await sendAsked(Number(port), { url: `${link}.json` })
    if (status === 200) return { response, profile: JSON.parse(body) as Profile }
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  throw new Error(`${named(asked)} has no profile at ${link}: it was not stored, or may not be opened from here.`)
}

/** `GET /orders` */
function named({ method = 'GET', url = '/' }: InjectRequest): string {
  return `${method} ${url}`
}

/** The most that a request may spend. Only what is named is checked. */
export interface ProfileBudgets {
  /** Queries to databases and caches, dropped ones included. */
  readonly queries?: number
  /** CPU time of the request itself on the main thread, in milliseconds. */
  readonly ownCpuMs?: number
  /** Requests to other services. */
  readonly outgoing?: number
  /** Lines of code that send one query for each item of a list. */
  readonly nPlusOne?: number
  /** From the first byte read to the last one sent, in milliseconds. Differs from run to run: leave it room. */
  readonly durationMs?: number
  /** Log lines of level error and above. */
  readonly logErrors?: number
  /** Bytes of the body of the response. */
  readonly bytes?: number
}

export type BudgetName = keyof ProfileBudgets

/** A number of a profile beside its budget. */
interface BudgetCheck {
  readonly name: BudgetName
  readonly actual: number
  readonly allowed: number
}

const readers: Readonly<Record<BudgetName, (profile: Profile) => number>> = {
  queries: (profile) => countOf(profile, 'queries', 'database', ({ queries, dropped }) => queries.length + dropped),
  ownCpuMs: readOwnCpu,
  outgoing: (profile) => countOf(profile, 'outgoing', 'http-client', ({ calls, dropped }) => calls.length + dropped),
  nPlusOne: (profile) =>
    countOf(profile, 'nPlusOne', 'database', ({ findings }) => findings.filter(({ kind }) => kind === 'n+1').length),
  durationMs: ({ durationMs }) => durationMs,
  logErrors: ({ logErrorCount }) => logErrorCount,
  bytes: readBytes,
}

/** Every name, in the order of reports. */
const budgetNames: readonly BudgetName[] = namesOf(readers)

/**
 * The numbers of a profile beside their budgets. Throws a TypeError for an unknown name, a budget that is not a number from 0,
 * or no budget at all; an Error for a number that the profile does not have.
 */
function checkBudgets(profile: Profile, budgets: ProfileBudgets): readonly BudgetCheck[] {
  const given = Object.entries(budgets).filter(([, allowed]) => allowed !== undefined)
  if (given.length === 0) throw new TypeError(`No budget given; use one of: ${budgetNames.join(', ')}`)
  return given.map(([name, allowed]) => {
    if (!isBudgetName(name)) throw unknownBudget(name)
    if (typeof allowed !== 'number' || !(allowed >= 0)) {
      throw new TypeError(`The budget "${name}" is ${String(allowed)}; use a number from 0`)
    }
    return { name, actual: readers[name](profile), allowed }
  })
}

/** A number for a report; `null` if the profile does not have it. */
export function numberOf(profile: Profile, name: BudgetName): number | null {
  try {
    return readers[name](profile)
  } catch {
    return null
  }
}

function isBudgetName(name: string): name is BudgetName {
  return Object.hasOwn(readers, name)
}

function unknownBudget(name: string): TypeError {
  const beginning = name.slice(0, 3).toLowerCase()
  const near =
    nearestName(name, budgetNames) ?? budgetNames.find((known) => known.toLowerCase().startsWith(beginning)) ?? null
  const hint = near === null ? '' : ` Did you mean "${near}"?`
  return new TypeError(`Unknown budget ${JSON.stringify(name)}.${hint} Allowed: ${budgetNames.join(', ')}`)
}

/** A request without queries has no such part: that counts as none if the built-in collectors ran. */
function countOf<Name extends 'database' | 'http-client'>(
  profile: Profile,
  budget: BudgetName,
  name: Name,
  count: (data: StoredParts[Name]) => number,
): number {
  const part = readPart(profile, name)
  if (part.state === 'there') return count(part.data)
  if (part.state === 'absent' && readPart(profile, 'time').state !== 'absent') return 0
  throw notThere(profile, budget, name, part)
}

function readOwnCpu(profile: Profile): number {
  const part = readPart(profile, 'time')
  if (part.state !== 'there') throw notThere(profile, 'ownCpuMs', 'time', part)
  if (part.data.ownCpuMs !== null) return part.data.ownCpuMs
  throw new Error(`The budget "ownCpuMs" cannot be checked: CPU time was not measured for profile ${profile.token}.`)
}

function readBytes(profile: Profile): number {
  const part = readPart(profile, 'request')
  if (part.state !== 'there') throw notThere(profile, 'bytes', 'request', part)
  if (part.data.bytes !== null) return part.data.bytes
  throw new Error(
    `The budget "bytes" cannot be checked: the size of the response of profile ${profile.token} is unknown.`,
  )
}

function notThere(
  { token }: Profile,
  budget: BudgetName,
  collector: StoredPartName,
  part: ReturnType<typeof readPart>,
): Error {
  const reasons = {
    there: '',
    absent: `the profile has no data of the collector "${collector}".`,
    failed: `the collector "${collector}" ${part.state === 'failed' ? part.reason : ''}`,
    unknown: `the data of the collector "${collector}" was written by another version.`,
  }
  return new Error(`The budget "${budget}" cannot be checked for profile ${token}: ${reasons[part.state]}`)
}
