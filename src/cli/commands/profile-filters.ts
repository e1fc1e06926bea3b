// The filters that `profiles list` and `profiles tail` share: options in, the filter of a store out.

import type { Command } from 'commander'
import { tokenPattern } from '../../profiler/profile.ts'
import { findingNames } from '../../profiler/profile.ts'
import { type ProfileFilter } from '../../profiler/profile-store.ts'
import { instant, usageError, wholeNumber } from '../command.ts'

/** Options as they were typed. */
export interface ProfileFilterOptions {
  readonly method?: string
  readonly status?: string
  readonly url?: string
  readonly route?: string
  readonly ip?: string
  readonly since?: string
  readonly until?: string
  readonly minDuration?: string
  readonly errors?: true
  readonly redirects?: true
  readonly unmatched?: true
  readonly type?: string
  readonly appVersion?: string
  readonly finding?: string
  readonly family?: string
  readonly trace?: string
  readonly parent?: string
}

/** Adds the options. */
export function withFilters(command: Command): Command {
  return command
    .option('--method <method>', 'GET, POST …')
    .option('--status <status>', 'a status or a class of them: 404, 4xx')
    .option('--url <part>', 'part of the URL')
    .option('--route <name>', 'name of the matched route')
    .option('--ip <address>', 'address of the client')
    .option('--since <instant>', 'from this instant or day')
    .option('--until <instant>', 'before this instant or day')
    .option('--min-duration <ms>', 'those that took at least so long')
    .option('--errors', 'only those where something was thrown')
    .option('--redirects', 'only those that were answered with a redirect')
    .option('--type <type>', 'request or command')
    .option('--unmatched', 'only those that no route took')
    .option('--app-version <version>', 'only those of this version of the application (APP_VERSION)')
    .option('--finding <name>', `only those with a finding: ${findingNames.join(', ')}`)
    .option('--family <name>', 'only those with this family of errors, as "profiles list --json" names it')
    .option('--trace <id>', 'only those of this trace (W3C Trace Context)')
    .option('--parent <token>', 'sub-requests of this profile')
}

/** The filter. Throws a usage error for what cannot be read. */
export function toFilter(options: ProfileFilterOptions): ProfileFilter {
  const { method, status, url, route, ip, since, until, minDuration, errors, redirects } = options
  const { finding, family, trace, parent, unmatched, appVersion } = options
  const range = timesOf(since, until)
  return {
    ...range,
    ...(method === undefined ? {} : { method: toMethod(method) }),
    ...(status === undefined ? {} : { status: toStatus(status) }),
    ...(url === undefined ? {} : { url }),
    ...(route === undefined ? {} : { route }),
    ...(ip === undefined ? {} : { ip }),
    ...(minDuration === undefined
      ? {}
      : { minDurationMs: wholeNumber('--min-duration', minDuration, 0, Number.MAX_SAFE_INTEGER) }),
    ...(errors === undefined ? {} : { hasError: true }),
    ...(redirects === undefined ? {} : { isRedirect: true }),
    ...(options.type === undefined ? {} : { isCommand: toType(options.type) === 'command' }),
    ...(unmatched === undefined ? {} : { hasRoute: false }),
    ...(appVersion === undefined ? {} : { version: toVersion('--app-version', appVersion) }),
    ...(finding === undefined ? {} : { finding: toFinding(finding) }),
    ...(family === undefined ? {} : { errorFamily: family }),
    ...(trace === undefined ? {} : { traceId: toTrace(trace) }),
    ...(parent === undefined ? {} : { parentToken: toToken(parent) }),
  }
}

function timesOf(since: string | undefined, until: string | undefined): Pick<ProfileFilter, 'since' | 'until'> {
  const from = since === undefined ? {} : { since: instant('--since', since) }
  const before = until === undefined ? {} : { until: instant('--until', until) }
  if (since !== undefined && from.since !== undefined && before.until !== undefined && from.since >= before.until) {
    throw usageError('--since', since, `an instant before --until, ${until ?? ''}`)
  }
  return { ...from, ...before }
}

/** A version of the application as it was typed. Throws a usage error for the empty text. */
export function toVersion(name: string, value: string): string {
  if (value !== '') return value
  throw usageError(name, value, 'a version of the application, as APP_VERSION names it')
}

function toToken(value: string): string {
  if (tokenPattern.test(value)) return value
  throw usageError('--parent', value, 'a token of 10 to 16 letters and digits')
}

function toMethod(value: string): string {
  if (/^[A-Za-z][\w-]*$/.test(value)) return value.toUpperCase()
  throw usageError('--method', value, 'a method of HTTP such as GET')
}

function toType(value: string): 'request' | 'command' {
  if (value === 'request' || value === 'command') return value
  throw usageError('--type', value, 'request, command')
}

function toFinding(value: string): NonNullable<ProfileFilter['finding']> {
  const found = findingNames.find((name) => name === value)
  if (found !== undefined) return found
  throw usageError('--finding', value, findingNames.join(', '))
}

function toTrace(value: string): string {
  const traceId = value.toLowerCase()
  if (/^[0-9a-f]{32}$/.test(traceId)) return traceId
  throw usageError('--trace', value, '32 of 0-9 and a-f')
}

function toStatus(value: string): NonNullable<ProfileFilter['status']> {
  const statusClass = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const
  const found = statusClass.find((name) => name === value)
  if (found !== undefined) return found
  if (/^(0|[1-5]\d\d)$/.test(value)) return Number(value)
  throw usageError('--status', value, 'a status as 404, 0 for no answer, or a class as 4xx')
}
