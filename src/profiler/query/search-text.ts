// The text of a profile that a search looks at beside what its summary holds.

import { fillPlaceholders } from '../../framework/log/logger.ts'
import type { Profile } from '../profile.ts'
import { readPart, type StoredLine } from '../stored-data.ts'

/** Characters of the whole text, and of one message in it. */
const maxSearchText = 2000
const maxPart = 400

/**
 * Classes and messages of the errors, then the lines of the log, warnings and errors first: what `ProfileFilter.text` finds
 * and no column holds. All of it is masked already. Empty where nothing was thrown or logged.
 */
export function searchTextOf(profile: Pick<Profile, 'data'>): string {
  const exception = readPart(profile, 'exception')
  const errors = exception.state === 'there' ? exception.data.errors : []
  const logger = readPart(profile, 'logger')
  const records = logger.state === 'there' ? logger.data.records : []
  const lines = new Set(errors.map(({ className, message }) => `${className}: ${message}`.slice(0, maxPart)))
  let length = 0
  for (const record of [...records.filter(isProblem), ...records.filter((one) => !isProblem(one))]) {
    if (length > maxSearchText) break
    const line = fillPlaceholders(record).slice(0, maxPart)
    lines.add(line)
    length += line.length
  }
  return [...lines].join('\n').slice(0, maxSearchText)
}

function isProblem({ level }: StoredLine): boolean {
  return level === 'warn' || level === 'error' || level === 'fatal'
}
