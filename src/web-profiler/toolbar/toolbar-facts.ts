// What the toolbar says of a request, gathered when its answer leaves.

import type { CurrencyOutcome } from '../../currency/currency-read.ts'
import type { Exchange } from '../../kernel/exchange.ts'
import { isErrorLevel } from '../../log/logger.ts'
import { errorClassOf } from '../../profiler/collectors/exception.ts'
import type { Recording } from '../../recording/recording.ts'
import { currencyReadOf } from '../../currency/currency-read.ts'
import type { RedirectStep } from '../../profiler/redirect-step.ts'

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
  return {
    token: recording.token,
    status,
    route: exchange.route?.name ?? null,
    durationMs: recording.durationMs,
    errorLines: levels.filter(isErrorLevel).length,
    warningLines: levels.filter((level) => level === 'warn').length,
    errorClass: errorClassOf(recording),
    currency: read === undefined ? null : { code: read.filter.code, outcome: read.outcome },
    redirects,
  }
}
