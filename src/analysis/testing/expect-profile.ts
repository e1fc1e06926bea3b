// Profiles a request in a test, and says what its profile must hold.

import { AssertionError } from 'node:assert'
import type { Profile } from '../../observe/profile.ts'
import { checkBudgets, type BudgetCheck, type ProfileBudgets, budgetNames, numberOf } from './budgets.ts'
import { notesOf, dataOf, readPart } from '../../profiles/stored-data.ts'
import type { InjectedResponse, InjectRequest } from '../../http/node/inject.ts'
import type { ProfileReader } from '../../profiles/profile-store.ts'

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

const maxRepeats = 5
const maxSpans = 5
const maxTextLength = 160

/** The report; `checks` are the budgets that were asked for. */
function profileReport(profile: Profile, checks: readonly BudgetCheck[]): string {
  const sections = [verdict(profile), numberRows(profile, checks), repeats(profile), spans(profile), notes(profile)]
  return [...sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n')), link(profile)].join('\n\n')
}

function verdict({ method, url, status, durationMs, route, errorClass }: Profile): string[] {
  const response = status === 0 ? 'no response' : String(status)
  const facts = [
    route === null ? 'no route' : `route ${route}`,
    ...(errorClass === null ? [] : [`exception ${errorClass}`]),
  ]
  return [oneLine(`${method} ${url}`), `${response} in ${milliseconds(durationMs)}, ${oneLine(facts.join(', '))}`]
}

function numberRows(profile: Profile, checks: readonly BudgetCheck[]): string[] {
  const rows = budgetNames.map((name) => {
    const check = checks.find((one) => one.name === name)
    const actual = numberOf(profile, name)
    const spent = actual === null ? '–' : numberText(actual)
    if (check === undefined) return [name, spent, '', ''] as const
    return [name, spent, `at most ${check.allowed}`, check.actual > check.allowed ? '← over' : ''] as const
  })
  return rows.map(([name, spent, allowed, mark]) =>
    `  ${name.padEnd(10)} ${spent.padStart(8)}  ${allowed.padEnd(14)} ${mark}`.trimEnd(),
  )
}

function repeats(profile: Profile): string[] {
  const part = readPart(profile, 'database')
  if (part.state !== 'there' || part.data.findings.length === 0) return []
  const { findings, groups } = part.data
  const lines = findings.slice(0, maxRepeats).map(({ kind, count, totalMs, group, callSite }) => {
    const text = oneLine(groups[group]?.text ?? 'unknown query')
    return `  ${count}× ${kind} (${milliseconds(totalMs)}) ${text}${callSite === null ? '' : ` at ${callSite}`}`
  })
  return ['Repeated queries', ...lines, ...rest(findings.length - maxRepeats)]
}

function spans(profile: Profile): string[] {
  const part = readPart(profile, 'time')
  if (part.state !== 'there') return []
  const ended = part.data.spans.flatMap(({ name, durationMs }) => (durationMs === null ? [] : [{ name, durationMs }]))
  const longest = ended.toSorted((one, other) => other.durationMs - one.durationMs).slice(0, maxSpans)
  if (longest.length === 0) return []
  return [
    'Longest spans',
    ...longest.map(({ name, durationMs }) => `  ${milliseconds(durationMs).padStart(10)}  ${oneLine(name)}`),
    ...rest(ended.length - maxSpans),
  ]
}

function notes(profile: Profile): string[] {
  return notesOf(profile)
    .slice(0, maxRepeats)
    .map(({ source, message }) => oneLine(`Note: ${source} ${message}`))
}

/** The address that the response names, on the host of the request; else the token alone. */
function link(profile: Profile): string {
  const field = dataOf(profile, 'request')?.responseHeaders.find(([name]) => name === 'x-debug-token-link')
  const address = field === undefined ? null : URL.parse(field[1], profile.url)
  return `Profile: ${address === null ? profile.token : address.href}`
}

function rest(count: number): string[] {
  return count > 0 ? [`  and ${count} more`] : []
}

/** Without controls, which a terminal would obey, and short. */
function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
  return line.length <= maxTextLength ? line : `${line.slice(0, maxTextLength).toWellFormed()}…`
}

function milliseconds(ms: number): string {
  return `${numberText(ms)} ms`
}

function numberText(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2)
}

/** What is needed of an application; an `App` has it. */
interface ProfiledApp {
  inject(request: InjectRequest): Promise<InjectedResponse>
  /** `null` if nothing is recorded. */
  readonly profiles: ProfileReader | null
}

/** What `profileRequest` gives. */
export interface ProfiledResponse {
  /** As `app.inject()` gives it. */
  readonly response: InjectedResponse
  /** What was recorded of the request. */
  readonly profile: Profile
}

/**
 * Sends one request, a path or a whole one, and reads its profile. Rejects with an Error that says why there is none: the
 * application records nothing, or not this request.
 */
export async function profileRequest(app: ProfiledApp, request: string | InjectRequest): Promise<ProfiledResponse> {
  const { profiles } = app
  if (profiles === null) {
    throw new Error('This application records nothing because debug is off. Set APP_ENV=test, or APP_DEBUG=1 in dev.')
  }
  const asked = typeof request === 'string' ? { url: request } : request
  const response = await app.inject(asked)
  const what = `${asked.method ?? 'GET'} ${asked.url ?? '/'}`
  const token = response.headers.get('x-debug-token')
  if (token === undefined) {
    throw new Error(
      `${what} got a ${response.status} and was not recorded: profiler pages, refused requests and maintenance ` +
        'responses have no profile.',
    )
  }
  const profile = await profiles.read(token)
  if (profile === undefined)
    throw new Error(`${what} has no profile ${token}: the store has already removed it, or never stored it.`)
  return { response, profile }
}
