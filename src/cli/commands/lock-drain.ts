// `fanlight lock on --drain`: waits until requests that began before a lock have ended, in all processes.

import { setTimeout } from 'node:timers/promises'
import { countOf } from '../../base/html/page-budget.ts'
import type { JournalContent, StoredReport } from '../../profiles/lock/lock-journal.ts'
import type { LockStore } from '../../profiles/lock/lock-store.ts'
import type { Cli } from '../cli.ts'
import { CliError, readDuration, usageError } from '../command.ts'
import { visibleLine } from '../../base/markdown-text.ts'

/** How often the store is asked, in milliseconds. */
const lookMs = 250

/** How long a change waits for word of processes, in milliseconds: they hear of it within a second. */
const unheardMs = 2000

const defaultDeadlineSeconds = 60

/** A process that reports nothing for this long, in milliseconds, was killed. One that runs reports a lock within a second, and every ten seconds while requests run. */
const silentMs = 30_000

export interface DrainOptions {
  readonly drain?: true
  readonly deadline?: string
}

/** Seconds to wait at most; `undefined`: it does not wait. Throws a usage error. */
export function readDrain({ drain: isAsked, deadline }: DrainOptions): number | undefined {
  if (deadline === undefined) return isAsked === true ? defaultDeadlineSeconds : undefined
  if (isAsked === undefined) throw usageError('--deadline', deadline, 'it together with --drain')
  return readDuration('--deadline', deadline, 86_400, 1)
}

/** What processes say. */
interface Remaining extends Drained {
  /** `web-1 4711 (3)` */
  readonly busy: readonly string[]
  /** Processes that have not heard of the lock yet. */
  readonly unheard: readonly string[]
}

/** How it ended, for JSON. */
export interface Drained {
  readonly running: number
  /** Without the silent ones. */
  readonly processes: number
  /** Processes that are not waited for any more. */
  readonly silent: readonly string[]
}

/**
 * Settles once every process has heard of the state and has no request left that began before. `isQuiet`: says nothing meanwhile. Throws a
 * CliError at the deadline, or when the command is stopped: the application stays closed.
 */
export async function drain(
  cli: Cli,
  { journal }: LockStore,
  changedAt: string,
  { seconds, isQuiet }: { readonly seconds: number; readonly isQuiet: boolean },
): Promise<Drained> {
  if (journal === undefined) throw new CliError('this store does not know which requests run')
  const stop = cli.stopSignal()
  const deadline = performance.now() + seconds * 1000
  const since = await journal.now()
  let said = ''
  for (;;) {
    const left = remaining(await journal.read(), changedAt, since)
    if (left.running === 0 && left.unheard.length === 0) {
      if (!isQuiet) cli.terminal.lines(sayDrained(left))
      return { running: 0, processes: left.processes, silent: left.silent }
    }
    const sentence = sayRemaining(left)
    if (stop.aborted) throw new CliError(`stopped waiting: ${sentence}; the application stays closed`)
    if (performance.now() > deadline) {
      throw new CliError(`not drained within ${seconds} s: ${sentence}; the application stays closed`)
    }
    if (!isQuiet && sentence !== said) cli.terminal.lines([cli.terminal.tone('quiet', `Waiting: ${sentence}.`)])
    said = sentence
    await setTimeout(lookMs, undefined, { signal: stop }).catch(() => undefined)
  }
}

/** Says on standard error which processes have not heard of a state within two seconds: they may serve as before. Rejects as the journal. */
export async function noteUnheard(cli: Cli, { journal }: LockStore, changedAt: string): Promise<void> {
  if (journal === undefined) return
  for (const deadline = performance.now() + unheardMs; ; await setTimeout(lookMs)) {
    const content = await journal.read()
    const { unheard } = remaining(content, changedAt, content.now)
    if (unheard.length === 0) return
    if (performance.now() < deadline) continue
    return cli.terminal.error(
      visibleLine(`no word yet of the lock from ${namesOf(unheard)}: killed, or without access to the store`),
    )
  }
}

/** `since`: when the command began to wait, by the clock of the store. */
function remaining({ reports, now }: JournalContent, changedAt: string, since: number): Remaining {
  const isSilent = ({ heard, running, time }: StoredReport): boolean => {
    if (heard !== changedAt) return now - since >= silentMs
    return running > 0 && now - time >= silentMs
  }
  const there = reports.filter((report) => !isSilent(report))
  const busy = there.filter(({ heard, running }) => heard === changedAt && running > 0)
  return {
    running: busy.reduce((sum, { running }) => sum + running, 0),
    busy: busy.map(({ process, running }) => `${process} (${running})`),
    unheard: there.filter(({ heard }) => heard !== changedAt).map(({ process }) => process),
    silent: reports.filter(isSilent).map(({ process }) => process),
    processes: there.length,
  }
}

function sayRemaining({ running, busy, unheard }: Remaining): string {
  const parts = [
    ...(running === 0 ? [] : [`${countOf(running, 'request')} still running in ${namesOf(busy)}`]),
    ...(unheard.length === 0 ? [] : [`no word yet of the lock from ${namesOf(unheard)}`]),
  ]
  return visibleLine(parts.join(', '))
}

function sayDrained({ processes, silent }: Remaining): readonly string[] {
  const ended = `All requests have ended in ${processes === 1 ? 'the one process' : `all ${processes} processes`}.`
  return [
    processes === 0 ? 'No process with this store is running.' : ended,
    ...(silent.length === 0 ? [] : [visibleLine(`Not waited for, silent for 30 s: ${namesOf(silent)}.`)]),
  ]
}

const maxNames = 5

function namesOf(processes: readonly string[]): string {
  const rest = processes.length - maxNames
  return `${processes.slice(0, maxNames).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
