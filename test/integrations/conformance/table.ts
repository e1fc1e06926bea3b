// The whole table, in the order in which it runs: what ends a process comes last.

import type { Case, Column } from '../support/conformance.ts'
import { capture } from './capture.ts'
import { clients } from './clients.ts'
import { thrownFromTimer } from './endings.ts'
import { errors } from './errors.ts'
import { late } from './late.ts'
import { ownErrors } from './own-errors.ts'
import { responses } from './responses.ts'
import { routes } from './routes.ts'

export const wholeTable: readonly Case[] = [
  ...responses,
  ...routes,
  ...errors,
  ...ownErrors,
  ...late,
  ...capture,
  ...clients,
  thrownFromTimer,
]

/** What the oldest versions are asked in every run: where a framework is read, and where its bytes could change. */
const essentials: ReadonlySet<number> = new Set([
  1, 2, 3, 6, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18, 20, 22, 24, 26, 28, 29, 31, 38, 39, 66, 74,
])

/** The cases of a column; `npm run test:frameworks` asks the oldest versions all of them, too. */
export function casesOf({ versions }: Column): readonly Case[] {
  const isWhole = versions !== 'oldest' || process.env['CONFORMANCE'] === 'whole'
  return isWhole ? wholeTable : wholeTable.filter(({ number }) => essentials.has(number))
}
