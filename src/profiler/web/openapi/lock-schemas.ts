// Schemas of what the page of the lock says.

import type { LockFacts, LockProcess, PeriodFacts, WindowFacts } from '../../lock-facts.ts'
import { boolean, integer, list, named, nullable, number, object, oneOf, text, type Schema } from './schema.ts'
import { instant } from './profiles.ts'

const only = nullable(list(text()))
/** ISO 8601 in UTC. */
const time: Schema<string> = text({ format: 'date-time' })

const window: Schema<WindowFacts> = named(
  'LockWindow',
  'A time in which the application is closed by plan.',
  object<WindowFacts>({
    id: text(),
    from: time,
    to: time,
    reason: text(),
    noticeSeconds: integer(),
    plannedBy: text(),
    only,
    readOnly: boolean(),
    state: oneOf('planned', 'announced', 'active'),
    overlaps: list(text()),
  }),
)

const period: Schema<PeriodFacts> = named(
  'LockPeriod',
  'A time in which the application was closed; to is null while it lasts.',
  object<PeriodFacts>({
    id: text(),
    from: time,
    to: nullable(time),
    durationMs: number(),
    reason: text(),
    closedBy: text(),
    openedBy: text(),
    isPlanned: boolean(),
    only,
    readOnly: boolean(),
    turnedAway: nullable(integer()),
  }),
)

export const lock: Schema<LockFacts> = named(
  'Lock',
  'Whether the application is closed, when it will be, and when it was.',
  object<LockFacts>({
    store: text(),
    now: instant,
    isClosed: boolean(),
    bootValue: integer(),
    sharedValue: integer(),
    only,
    readOnly: boolean(),
    reason: text(),
    changedAt: text(),
    changedBy: text(),
    opensAt: nullable(instant),
    windows: list(window),
    history: list(period),
    processes: nullable(
      list(
        object<LockProcess>({
          process: text(),
          hasHeard: boolean(),
          isClosed: boolean(),
          running: integer(),
          time: instant,
        }),
      ),
    ),
  }),
)
