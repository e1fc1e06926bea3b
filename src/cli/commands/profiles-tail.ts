// `fanlight profiles tail`: profiles as they are kept, by whichever process writes to the store, until it is stopped.

import { setTimeout } from 'node:timers/promises'
import type { Engine } from '../../stores/engine.ts'
import { isEngineError } from '../../stores/engine-error.ts'
import { findings as findingFacts, type ProfileSummary } from '../../profiler/profile.ts'
import type { ProfilePage } from '../../profiler/profile-store.ts'
import type { ProfileFilter } from '../../profiler/query/filters.ts'
import { missingSentence } from '../../profiler/query/missing-parts.ts'
import { isoTime, statusMark, subjectOf } from '../../profiler/query/profile-facts.ts'
import type { Cli } from '../cli.ts'
import { wholeNumber } from '../command.ts'
import { type Terminal, cutToColumns, visibleText } from '../terminal.ts'
import { toFilter, type ProfileFilterOptions } from './profile-filters.ts'
import { statusTone } from './profiles-list.ts'

export interface ProfileTailOptions extends ProfileFilterOptions {
  readonly last?: string
  readonly json?: true
}

const pollMs = 300
/** Profiles that are read at a time. */
const pageLength = 200

/** Prints the last few profiles and every new one, oldest first, until the process is told to stop. Throws usage errors. */
export async function tailProfiles(cli: Cli, options: ProfileTailOptions): Promise<void> {
  const last = options.last === undefined ? 10 : wholeNumber('--last', options.last, 0, pageLength)
  const filter = toFilter(options)
  const print = (profile: ProfileSummary): void =>
    options.json === true ? cli.terminal.json(profile, 0) : printLine(cli.terminal, profile)
  await cli.withEngine(async (engine) => {
    const stop = cli.stopSignal()
    const begun = await engine.profiles.find(filter, { limit: Math.max(1, last) })
    for (const profile of begun.items.slice(0, last).toReversed()) print(profile)
    let cursor = begun.newest
    let told = ''
    const tell = (problem: string): void => {
      if (problem !== told) cli.terminal.error(problem === '' ? 'The whole store is reachable again.' : problem)
      told = problem
    }
    tell(problemOf(begun))
    while (!stop.aborted) {
      await setTimeout(pollMs, undefined, { signal: stop }).catch(() => undefined)
      try {
        const { profiles, newest, problem } = await newerThan(engine, filter, cursor)
        for (const profile of profiles) print(profile)
        tell(problem)
        cursor = newest
      } catch (error) {
        if (!isEngineError(error) || error.code !== 'ERR_STORE_UNAVAILABLE') throw error
        tell(error.message)
      }
    }
  })
}

function problemOf({ missing }: ProfilePage): string {
  return missing === undefined ? '' : missingSentence(missing)
}

/** All that came after a cursor, oldest first. */
async function newerThan(
  { profiles }: Engine,
  filter: ProfileFilter,
  cursor: string,
): Promise<{ readonly profiles: readonly ProfileSummary[]; readonly newest: string; readonly problem: string }> {
  const first = await profiles.find(filter, { newerThan: cursor, limit: pageLength })
  const found = [...first.items]
  for (let after = first.next; after !== null;) {
    const page = await profiles.find(filter, { newerThan: cursor, limit: pageLength, after })
    found.push(...page.items)
    after = page.next
  }
  return { profiles: found.reverse(), newest: first.newest, problem: problemOf(first) }
}

/** `10:02:11  404    12.3 ms  GET     http://…  NotFoundHttpError  slow`, aligned, cut to the terminal. */
function printLine(terminal: Terminal, profile: ProfileSummary): void {
  const { time, status, durationMs, method, errorClass, findings, token } = profile
  const head = [
    terminal.tone('quiet', isoTime(time).slice(11, 19)),
    terminal.tone(statusTone(profile), (status === 0 ? '–' : statusMark(profile)).padStart(3)),
    `${durationMs.toFixed(1)} ms`.padStart(11),
    cutToColumns(visibleText(method), 7).padEnd(7),
  ]
  const marks = [
    ...(errorClass === null ? [] : [visibleText(errorClass)]),
    ...findings.map((name) => `${name === 'error' ? '✗ ' : ''}${findingFacts[name][0]}`),
  ]
  // Time, status, duration, method, token and the gaps between them.
  const room = terminal.columns === undefined ? undefined : terminal.columns - 53
  // A line of output that goes elsewhere is not cut.
  const rest = visibleText(subjectOf(profile))
  const shownMarks = marks.length === 0 ? '' : `  ${marks.join(', ')}`
  const shownUrl = room === undefined ? rest : cutToColumns(rest, Math.max(16, room - shownMarks.length))
  const tail = shownMarks === '' ? '' : terminal.tone(findings.includes('error') ? 'bad' : 'warning', shownMarks)
  terminal.lines([`${head.join('  ')}  ${terminal.tone('quiet', token.padEnd(16))}  ${shownUrl}${tail}`])
}
