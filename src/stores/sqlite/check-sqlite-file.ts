// Looks whether the file of a store can be used, without changing it.

import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { performance } from 'node:perf_hooks'
import { formatBytes, formatDuration } from '../../framework/html/components.ts'
import type { CheckedPlace, StoreFinding } from '../store-finding.ts'
import { refuseDetours, isOlderFormat } from './database-file.ts'
import { DatabaseSync } from './load-sqlite.ts'
import type { SqliteFileOptions } from './sqlite-file.ts'
import { isBusy, isCorrupt, reasonOf, toEngineError } from './sqlite-failure.ts'

/** How long a write waits for other processes, in milliseconds. */
const patienceMs = 2000

type Finding = Omit<StoreFinding, 'name'>

/** Checks one thing after the other, and stops when nothing after it can be right. */
export function checkSqliteFile(file: SqliteFileOptions): CheckedPlace {
  const findings: StoreFinding[] = []
  const note = (name: string, look: () => Finding): boolean => {
    const finding = attempt(file.name, look)
    findings.push({ name, ...finding })
    return finding.state !== 'bad'
  }
  if (!existsSync(file.path)) {
    note('file', () => placeOfNewFile(file))
    return { findings, mayBeOpened: false }
  }
  const mayBeOpened =
    note('file', () => fileFacts(file)) &&
    note('format', () => formatFacts(file)) &&
    note('content', () => contentFacts(file)) &&
    note('writing', () => writingFacts(file)) &&
    note('disk', () => diskFacts(file))
  const isOlder = findings.some(({ name, state }) => name === 'format' && state === 'warning')
  return { findings, mayBeOpened: mayBeOpened && !isOlder }
}

function attempt(name: string, look: () => Finding): Finding {
  try {
    return look()
  } catch (error) {
    if (isCorrupt(error)) return damaged(reasonOf(error))
    return { state: 'bad', says: toEngineError(error, name).message.replace(/\.$/, '') }
  }
}

function placeOfNewFile(file: SqliteFileOptions): Finding {
  refuseDetours(file)
  let folder = dirname(file.path)
  while (!existsSync(folder)) folder = dirname(folder)
  if (isWritable(folder)) return { state: 'good', says: 'not there yet; the application makes it' }
  return {
    state: 'bad',
    says: `not there, and "${folder}" is not writable`,
    advice: 'give the user of the application the right to write there',
  }
}

function fileFacts(file: SqliteFileOptions): Finding {
  const { path } = file
  refuseDetours(file)
  if (!statSync(path).isFile()) return { state: 'bad', says: `"${path}" is not a file`, advice: 'name another one' }
  if (!isWritable(path) || !isWritable(dirname(path))) {
    const advice = 'give the user of the application the right to write the file and its folder'
    return { state: 'bad', says: `"${path}" is not writable`, advice }
  }
  return { state: 'good', says: `${path}, ${formatBytes(sizeOf(path))}` }
}

function formatFacts(file: SqliteFileOptions): Finding {
  return reading(file, (database) =>
    isOlderFormat(database, file.name)
      ? {
          state: 'warning',
          says: 'older than this version',
          advice: 'start the application: it keeps lock and collections, and sets the profiles aside in a copy',
        }
      : { state: 'good', says: `SQLite ${process.versions['sqlite']}` },
  )
}

function contentFacts(file: SqliteFileOptions): Finding {
  const result = reading(file, (database) => String(database.prepare('PRAGMA quick_check(1)').get()?.['quick_check']))
  return result === 'ok' ? { state: 'good', says: 'not damaged' } : damaged(result)
}

function damaged(reason: string): Finding {
  return {
    state: 'bad',
    says: `damaged: ${reason}`,
    advice: 'restore a copy; the next start sets this file aside and begins with an empty one',
  }
}

function writingFacts({ path }: SqliteFileOptions): Finding {
  const database = new DatabaseSync(path, { timeout: patienceMs })
  const startedMs = performance.now()
  try {
    database.exec('BEGIN IMMEDIATE; ROLLBACK')
    return { state: 'good', says: `begins after ${formatDuration(performance.now() - startedMs)}` }
  } catch (error) {
    if (!isBusy(error)) throw error
    const says = `another process has been writing for ${formatDuration(patienceMs)}`
    return { state: 'warning', says, advice: 'look for a process that holds the file open in a transaction' }
  } finally {
    database.close()
  }
}

function diskFacts({ path, bounds }: SqliteFileOptions): Finding {
  const { bavail, bsize } = statfsSync(dirname(path))
  const free = bavail * bsize
  const growth = Math.max(0, bounds.maxBytes - sizeOf(path))
  const says = `${formatBytes(free)} free`
  if (free >= growth) return { state: 'good', says }
  const advice = 'make room, or lower APP_PROFILES_MEGABYTES'
  return { state: 'warning', says: `${says}, and the store may grow by ${formatBytes(growth)}`, advice }
}

function reading<Result>({ path }: SqliteFileOptions, look: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(path, { readOnly: true, timeout: patienceMs })
  try {
    return look(database)
  } finally {
    database.close()
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** With its log. */
function sizeOf(path: string): number {
  return [path, `${path}-wal`].reduce((sum, one) => sum + (statSync(one, { throwIfNoEntry: false })?.size ?? 0), 0)
}
