// The log lines of the request, masked when they were written.

import { fillPlaceholders, isProblem, logLevels, type LogRecord } from '../../base/log/logger.ts'
import type { BuiltInCollector } from '../request-record.ts'

export interface LoggerData {
  readonly records: readonly LogRecord[]
  /** Lines that were not kept: too many, or too large for the profile. */
  readonly dropped: number
}

/** Of its collector and its panel. */
export const loggerName = 'logger'

/** The id of a line on the panel, by its place from 0. */
export function lineAnchor(index: number): string {
  return `line-${index + 1}`
}

type SearchedLine = Pick<LogRecord, 'channel' | 'message' | 'context'> & { readonly level: string }

/** `wanted`: a level, or `problems` for warnings and errors; an unknown one filters nothing. */
export function isOfLevel({ level }: Pick<SearchedLine, 'level'>, wanted: string): boolean {
  if (wanted === 'problems') return logLevels.some((one) => one === level && isProblem(one))
  return wanted === level || !logLevels.some((one) => one === wanted)
}

/** Whether the text is in the level, the channel, the message or the context, whatever its letter case. */
export function lineHas(line: SearchedLine, text: string): boolean {
  if (text === '') return true
  const shown = [line.level, line.channel, fillPlaceholders(line), JSON.stringify(line.context)].join(' ')
  return shown.toLowerCase().includes(text.toLowerCase())
}

/** Nothing if nothing was logged. */
export const loggerCollector: BuiltInCollector<LoggerData> = {
  name: loggerName,
  collect: ({ log }) => (log.records.length === 0 ? undefined : log),
  cut: ({ records, dropped }, maxBytes) => {
    const kept = withinBytes(records, maxBytes)
    return { records: kept, dropped: dropped + records.length - kept.length }
  },
}

/** Keeps warnings and errors first, then lines from both ends. Each kept line counts the lines that are missing above it. */
function withinBytes(records: readonly LogRecord[], maxBytes: number): readonly LogRecord[] {
  const fromBothEnds = [...records.keys()].map((index) =>
    index % 2 === 0 ? index / 2 : records.length - (index + 1) / 2,
  )
  const kept = new Set<number>()
  let left = maxBytes
  for (const isWanted of [true, false]) {
    for (const index of fromBothEnds) {
      const record = records[index]
      if (record === undefined || isProblem(record.level) !== isWanted) continue
      left -= Buffer.byteLength(JSON.stringify(record)) + bytesOfMark
      if (left < 0) break
      kept.add(index)
    }
  }
  const shown: LogRecord[] = []
  let missing = 0
  for (const [index, record] of records.entries()) {
    missing += record.leftOutBefore ?? 0
    if (kept.has(index)) {
      shown.push(missing === 0 ? record : { ...record, leftOutBefore: missing })
      missing = 0
    } else missing += 1
  }
  return shown
}

/** For `leftOutBefore` and a comma. */
const bytesOfMark = 24
