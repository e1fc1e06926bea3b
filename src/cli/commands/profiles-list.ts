// `fanlight profiles list`: filters become a query to the store, the answer a table.

import type { ProfileFilter } from '../../profiler/profile-store.ts'
import type { ProfileSummary } from '../../profiler/profile.ts'
import type { Cli } from '../cli.ts'
import { instant, usageError, wholeNumber } from '../command.ts'
import { tableLines, type Column } from '../table.ts'
import type { Tone } from '../terminal.ts'
import { visibleText } from '../visible-text.ts'

/** Options as they were typed. */
export interface ProfileListOptions {
  readonly method?: string
  readonly status?: string
  readonly url?: string
  readonly route?: string
  readonly ip?: string
  readonly since?: string
  readonly until?: string
  readonly minDuration?: string
  readonly errors?: true
  readonly parent?: string
  readonly limit?: string
  readonly after?: string
  readonly json?: true
}

/** Prints one page of profiles. Throws a usage error for a filter that cannot be read. */
export async function listProfiles(cli: Cli, options: ProfileListOptions): Promise<void> {
  const limit = options.limit === undefined ? 25 : wholeNumber('--limit', options.limit, 1, 200)
  const after = options.after === undefined ? {} : { after: options.after }
  const filter = toFilter(options)
  const page = await cli.withEngine((engine) => engine.profiles.find(filter, { limit, ...after }))
  if (options.json === true) return cli.terminal.json(page)
  if (page.items.length === 0) return cli.terminal.lines(['No profile matches.'])
  const more = page.next === null ? [] : [cli.terminal.tone('quiet', `Older ones: --after ${visibleText(page.next)}`)]
  cli.terminal.lines([...tableLines(cli.terminal, columns, page.items), ...more])
}

function toFilter(options: ProfileListOptions): ProfileFilter {
  const { method, status, url, route, ip, since, until, minDuration, errors, parent } = options
  return {
    ...(method === undefined ? {} : { method }),
    ...(status === undefined ? {} : { status: toStatus(status) }),
    ...(url === undefined ? {} : { url }),
    ...(route === undefined ? {} : { route }),
    ...(ip === undefined ? {} : { ip }),
    ...(since === undefined ? {} : { since: instant('--since', since) }),
    ...(until === undefined ? {} : { until: instant('--until', until) }),
    ...(minDuration === undefined
      ? {}
      : { minDurationMs: wholeNumber('--min-duration', minDuration, 0, Number.MAX_SAFE_INTEGER) }),
    ...(errors === undefined ? {} : { hasError: true }),
    ...(parent === undefined ? {} : { parentToken: parent }),
  }
}

function toStatus(value: string): NonNullable<ProfileFilter['status']> {
  const statusClass = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const
  const found = statusClass.find((name) => name === value)
  if (found !== undefined) return found
  if (/^[1-5]\d\d$/.test(value)) return Number(value)
  throw usageError('--status', value, 'a status as 404 or a class as 4xx')
}

const columns: readonly Column<ProfileSummary>[] = [
  { title: 'token', cell: ({ token }) => token, tone: () => 'strong' },
  { title: 'time', cell: ({ time }) => new Date(time).toISOString().slice(0, 19).replace('T', ' ') },
  { title: 'status', cell: ({ status }) => String(status), align: 'right', tone: statusTone },
  { title: 'ms', cell: ({ durationMs }) => durationMs.toFixed(1), align: 'right' },
  { title: 'method', cell: ({ method }) => method },
  { title: 'url', cell: ({ url }) => url, isFlexible: true },
  { title: 'error', cell: ({ errorClass }) => errorClass ?? '', isFlexible: true },
]

function statusTone({ status }: ProfileSummary): Tone {
  if (status >= 500 || status === 0) return 'bad'
  return status >= 400 ? 'warning' : 'good'
}
