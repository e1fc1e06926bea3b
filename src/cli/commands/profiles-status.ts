// `fanlight profiles status`: how the profiler fares. The running application knows most; without one there is the store.

import { recorderLimits } from '../../profiler/sampling/recorder-status.ts'
import type { ProfileStoreStats } from '../../profiler/profile-store.ts'
import { pauseSentence } from '../../profiler/query/profile-facts.ts'
import { formatAge, formatBytes, formatCount } from '../../framework/html/components.ts'
import type { Cli } from '../cli.ts'
import { usageError } from '../command.ts'
import { ownKeyCookie, ownOrigin } from '../running-app.ts'
import { factLines, visibleText } from '../terminal.ts'

export interface StatusOptions {
  readonly url?: string
  readonly json?: true
}

/** How long the application may take, in milliseconds. */
const budgetMs = 3000

/** Prints the status of the application that listens where the context says, else what the store alone can tell. */
export async function printStatus(cli: Cli, options: StatusOptions): Promise<void> {
  const base = baseUrl(cli, options.url)
  const form = options.json === true ? 'json' : 'md'
  const answer = await ask(new URL(`/_profiler/status.${form}`, base), keyHeaders(cli, options, base))
  if (!('text' in answer)) return printStore(cli, `${base.origin} ${answer.problem}`, options)
  if (options.json === true) return cli.terminal.json(JSON.parse(answer.text))
  cli.terminal.markdown(answer.text)
}

async function printStore(cli: Cli, problem: string, { json }: StatusOptions): Promise<void> {
  const { name, stats, pause } = await cli.withEngine(async ({ profiles, pause }) => ({
    name: profiles.name,
    stats: await profiles.stats(),
    pause: await pause.read(),
  }))
  const limits = recorderLimits(cli.context())
  if (json === true) return cli.terminal.json({ application: null, problem, store: { name, stats }, pause, limits })
  cli.noteMissing(stats.missing)
  cli.terminal.lines([
    ...(pause === null ? [] : [cli.terminal.tone('warning', visibleText(pauseSentence(pause)))]),
    ...factLines(cli.terminal, [['store', name], ...storeFacts(stats, cli.now())]),
    ...factLines(
      cli.terminal,
      limits.map(({ name: limit, value, from }) => [limit.toLowerCase(), `${value} (${from})`] as const),
    ),
    cli.terminal.tone('quiet', visibleText(`${problem}: counts and costs need a running application.`)),
  ])
}

function storeFacts(stats: ProfileStoreStats, now: number): readonly (readonly [string, string])[] {
  return [
    ['profiles', `${formatCount(stats.count)} of at most ${formatCount(stats.maxCount)}`],
    ['size', `${formatBytes(stats.bytes)} of at most ${formatBytes(stats.maxBytes)}`],
    ...sharedFacts(stats, now),
  ]
}

/** What a store that several machines share knows of the others. This process itself has written nothing. */
function sharedFacts({ fleet }: ProfileStoreStats, now: number): readonly (readonly [string, string])[] {
  const members = fleet?.members ?? []
  const outage = fleet?.outage ?? null
  return [
    ...(outage === null ? [] : [['out of reach', outage.reason] as const]),
    ...members.map(({ host, pid, version, time, held, dropped }) => {
      const heard = `heard ${formatAge(Math.max(0, now - time))} ago`
      return [
        'process',
        `${host} ${pid}${version === null ? '' : ` ${version}`}, ${heard}, held ${held}, dropped ${dropped}`,
      ] as const
    }),
  ]
}

function baseUrl(cli: Cli, given: string | undefined): URL {
  if (given === undefined) return ownOrigin(cli.context())
  const url = URL.parse(given)
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  throw usageError('--url', given, 'an address such as http://127.0.0.1:8000')
}

/** The key of the settings is for the application of the settings only. */
function keyHeaders(cli: Cli, options: StatusOptions, base: URL): Readonly<Record<string, string>> {
  const cookie = options.url === undefined ? ownKeyCookie(cli.context(), base) : undefined
  return cookie === undefined ? {} : { cookie }
}

async function ask(
  url: URL,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly text: string } | { readonly problem: string }> {
  try {
    // The time is up for what has no end, too.
    const answer = await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(budgetMs) })
    const isOurs = /^(?:application\/json|text\/markdown)\b/.test(answer.headers.get('content-type') ?? '')
    if (answer.status === 200 && isOurs) return { text: await answer.text() }
    await answer.body?.cancel()
    return { problem: `responded with ${answer.status}` }
  } catch {
    return { problem: 'does not respond' }
  }
}
