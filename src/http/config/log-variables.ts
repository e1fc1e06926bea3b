// Variables of the log: what is written, and which responses get an access line.

import * as v from 'valibot'
import { logLevels, type LogLevel } from '../../base/log/logger.ts'
import type { ReadVariable, VariablesOf } from './variable.ts'

/** The lowest level that is written; `silent` for nothing. */
export type LeastLevel = LogLevel | 'silent'

/**
 * Which responses get an access line: `all`; `errors`, those from 400 on and those that broke off; a share of the others beside them, 0.1; or
 * none, `off`.
 */
export type AccessLines = 'all' | 'errors' | 'off' | number

/** Settings of the log; `null` if the variable is not set. */
export interface LogContext {
  readonly level: LeastLevel | null
  /** Levels of channels that have their own. */
  readonly channels: Readonly<Record<string, LeastLevel>>
  readonly access: AccessLines | null
}

/** Of the option and the variable. */
export const allowedAccessLines = 'all, errors, off, or a share from 0 to 1 such as 0.1'

const level = v.picklist([...logLevels, 'silent'])
/** `info`, `router=debug`. */
const levelEntry = v.pipe(
  v.string(),
  v.trim(),
  v.regex(/^(?:[\w.:-]{1,100}=)?\w+$/),
  v.transform((entry) => entry.split('=').reverse()),
  v.tupleWithRest([level], v.string()),
)

export interface LogValues {
  /** Levels, with the channel if they are of one. */
  readonly APP_LOG_LEVEL: readonly (readonly [least: LeastLevel, ...channel: string[]])[]
  readonly APP_ACCESS_LOG: AccessLines
}

/** The variables, in the order in which they are checked. */
export const logVariables: VariablesOf<LogValues> = {
  APP_LOG_LEVEL: {
    schema: v.pipe(
      v.string(),
      v.transform((text) => text.split(',')),
      v.array(levelEntry),
      v.check((entries) => entries.filter(({ length }) => length === 1).length <= 1),
    ),
    allowed: `${[...logLevels, 'silent'].join(', ')}; for a channel, router=debug; separated by commas`,
  },
  APP_ACCESS_LOG: {
    schema: v.union([
      v.picklist(['all', 'errors', 'off']),
      v.pipe(v.string(), v.regex(/^(?:0(?:\.\d{1,6})?|1(?:\.0{1,6})?)$/), v.transform(Number)),
    ]),
    allowed: allowedAccessLines,
  },
}

export function logContext(read: ReadVariable<LogValues>): LogContext {
  const entries = read('APP_LOG_LEVEL', [])
  return Object.freeze({
    level: entries.find(({ length }) => length === 1)?.[0] ?? null,
    channels: Object.fromEntries(
      entries.flatMap(([least, channel]) => (channel === undefined ? [] : [[channel, least]])),
    ),
    access: read('APP_ACCESS_LOG', null),
  })
}
