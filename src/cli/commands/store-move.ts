// `fanlight store move`: copies a store to another place, part by part, and says how far it is.

import { performance } from 'node:perf_hooks'
import { countOf } from '../../errors/page/page-budget.ts'
import { formatBytes, formatCount } from '../../framework/html/components.ts'
import type { ProfileStoreStats } from '../../profiler/profile-store.ts'
import type { Engine } from '../../stores/engine.ts'
import { moveProfiles, MoveStoppedError, type MovedProfiles } from '../../stores/move-profiles.ts'
import { moveCurrencies, moveLock, type MoveResult } from '../../stores/move-records.ts'
import type { Cli } from '../cli.ts'
import { CliError } from '../exit-codes.ts'
import { visibleText } from '../terminal.ts'

/** How often the number of profiles is printed at most, in milliseconds. */
const progressMs = 1000

/** Refused profiles that are named. */
const maxNamed = 5

/** Throws a CliError when it was stopped or a profile was refused. */
export async function moveStores(cli: Cli, from: string, to: string, options: { readonly json?: true }): Promise<void> {
  const { terminal } = cli
  const say = (lines: readonly string[]): void => {
    if (options.json !== true) terminal.lines(lines)
  }
  await cli.withStore(from, async (source) => {
    // If nothing can be read, nothing is made.
    await source.lock.read()
    await cli.withStore(to, async (target) => {
      say([`Moving ${visibleText(source.name)} to ${visibleText(target.name)}.`])
      const { result: lock, periods } = await moveLock(source.lock, target.lock)
      say([`lock        ${lockText[lock]}`, `history     ${periods === 0 ? 'nothing to move' : `${periods} moved`}`])
      const currencies = await moveCurrencies(source.currencies, target.currencies)
      say([`currencies  ${currencyText(currencies)}`])
      const profiles = await copyProfiles(cli, source, target, (text) => say([`profiles    ${text}`]))
      const stats = await target.profiles.stats()
      if (options.json === true)
        terminal.json({ from: source.name, to: target.name, lock, periods, currencies, profiles })
      say([`profiles    ${countOf(profiles.moved, 'profile')} moved.`, ...leftOut(profiles, stats)])
      const { refused } = profiles
      if (refused.length === 0) return
      const named = refused.slice(0, maxNamed).map(({ token, reason }) => `${token} (${reason})`)
      const others = refused.length > maxNamed ? ` and ${refused.length - maxNamed} more` : ''
      throw new CliError(`${target.name} refused ${countOf(refused.length, 'profile')}: ${named.join(', ')}${others}`)
    })
  })
}

async function copyProfiles(
  cli: Cli,
  source: Engine,
  target: Engine,
  say: (text: string) => void,
): Promise<MovedProfiles> {
  let saidMs = performance.now()
  const onProgress = (done: number, total: number): void => {
    if (done < total && performance.now() - saidMs < progressMs) return
    saidMs = performance.now()
    say(`${formatCount(done)} of ${formatCount(total)}`)
  }
  try {
    return await moveProfiles(source.profiles, target.profiles, {
      onProgress,
      signal: cli.stopSignal(),
      now: cli.now(),
    })
  } catch (error) {
    if (error instanceof MoveStoppedError) throw new CliError(`${error.message}; the same command goes on from there`)
    throw error
  }
}

const lockText: Readonly<Record<MoveResult, string>> = {
  moved: 'moved',
  same: 'the same already',
  newer: 'not moved: it was changed later in the other store',
  none: 'none was ever set',
}

function currencyText({ result, count }: { readonly result: MoveResult; readonly count: number }): string {
  const texts: Readonly<Record<MoveResult, string>> = {
    moved: `${count} moved`,
    same: 'the same already',
    newer: 'not moved: they were changed later in the other store',
    none: 'there are none',
  }
  return texts[result]
}

/** A line for each reason why a profile of the one store is not in the other. */
function leftOut(
  { known, passed, tooOld, noRoom, evicted, unreadable }: MovedProfiles,
  { maxCount, maxBytes, maxAgeMs }: ProfileStoreStats,
): readonly string[] {
  const bounds = `APP_PROFILES_COUNT (${formatCount(maxCount)}) and APP_PROFILES_MEGABYTES (${formatBytes(maxBytes)})`
  const reasons: readonly (readonly [count: number, text: string])[] = [
    [known, 'there already'],
    [passed, 'left behind, because they would look newer there than they are'],
    [noRoom, `no room for the oldest, by ${bounds}`],
    [tooOld, `too old, by APP_PROFILES_DAYS (${Math.round((maxAgeMs / 86_400_000) * 100) / 100})`],
    [evicted, 'removed again to make room for others'],
    [unreadable, 'gone or damaged when they were read'],
  ]
  return reasons.flatMap(([count, text]) => (count === 0 ? [] : [`            ${formatCount(count)}: ${text}.`]))
}
