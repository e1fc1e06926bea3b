// What the toolbar says of a request, gathered when its answer leaves.

import { httpClientName, type OutgoingCalls } from '../../capture/outgoing-calls.ts'
import { databaseName, type Statements, type StatementTally } from '../../capture/statements.ts'
import type { CurrencyOutcome } from '../../../plugins/currency/currency-read.ts'
import type { Exchange } from '../../../framework/kernel/exchange.ts'
import { isErrorLevel } from '../../../framework/log/logger.ts'
import { errorClassOf } from '../../collectors/exception.ts'
import type { Recording } from '../../../framework/recording/recording.ts'
import { currencyReadOf } from '../../../plugins/currency/currency-read.ts'
import { keptDumps } from '../../dump.ts'
import type { RedirectStep } from '../../redirect-step.ts'

/** Facts of one request. */
export interface ToolbarFacts {
  readonly token: string
  readonly status: number
  /** Name of the matched route, or `null`. */
  readonly route: string | null
  /** Milliseconds until the answer, or its last byte, left. */
  readonly durationMs: number
  readonly errorLines: number
  readonly warningLines: number
  /** Class of an error that was thrown although there is an answer, or `null`. */
  readonly errorClass: string | null
  readonly currency: { readonly code: string; readonly outcome: CurrencyOutcome } | null
  /** Statements to databases and caches so far; `null` where none was sent. */
  readonly queries: StatementTally | null
  /** Calls to other services so far; `null` where none was made. */
  readonly calls: { readonly made: number; readonly failed: number } | null
  /** Values that were dumped so far. */
  readonly dumpCount: number
  /** The requests that redirected here, oldest first. */
  readonly redirects: readonly RedirectStep[]
}

/** Gathers them. */
export function toolbarFacts(
  exchange: Exchange,
  recording: Recording,
  { status, redirects }: Pick<ToolbarFacts, 'status' | 'redirects'>,
): ToolbarFacts {
  const levels = recording.logger.records.map(({ level }) => level)
  const read = currencyReadOf(recording)
  const dumps = keptDumps(recording)
  // Only the capture keeps something under its names.
  return {
    token: recording.token,
    status,
    route: exchange.route?.name ?? null,
    durationMs: recording.durationMs,
    errorLines: levels.filter(isErrorLevel).length,
    warningLines: levels.filter((level) => level === 'warn').length,
    errorClass: errorClassOf(recording),
    currency: read === undefined ? null : { code: read.filter.code, outcome: read.outcome },
    queries: (recording.kept(databaseName) as Statements | undefined)?.tally() ?? null,
    calls: (recording.kept(httpClientName) as OutgoingCalls | undefined)?.tally() ?? null,
    dumpCount: dumps === undefined ? 0 : dumps.dumps.length + dumps.dropped,
    redirects,
  }
}
