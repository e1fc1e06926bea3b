// Fills the summary of a profile: once, when the profile is made.

import { HttpRequest } from '../framework/http/request.ts'
import { isErrorLevel } from '../framework/log/logger.ts'
import { defaultSlowMs, isErrorOutcome, type Outcome } from '../framework/recording/outcome.ts'
import type { Redactor } from '../framework/redact/redactor.ts'
import { parseTraceparent } from './capture/trace-context.ts'
import { findingNames, type CollectedSummary, type Finding, type ProfileSummary } from './profile.ts'
import type { RequestRecord } from './request-record.ts'

/** What the summary needs besides the request. */
export interface SummaryRules {
  readonly redactor: Redactor
  /** Requests at least this long are slow, in milliseconds; `null`: none is. Default 500. */
  readonly slowMs?: number | null | undefined
}

/** The summary of a request, with what its collectors contribute. */
export function summarize(
  record: RequestRecord,
  contributions: readonly Partial<CollectedSummary>[],
  { redactor, slowMs = defaultSlowMs }: SummaryRules,
): ProfileSummary {
  const { request, log, parts, durationMs } = record
  const context = new HttpRequest(request)
  const outcome = outcomeOf({
    status: record.response?.status,
    sent: record.sent,
    errorClass: parts.exception?.errors[0]?.className ?? null,
    records: log.records,
  })
  const contributed: Partial<CollectedSummary> = {}
  for (const one of contributions) Object.assign(contributed, one)
  return {
    token: record.token,
    parentToken: record.parentToken,
    childTokens: record.childTokens,
    method: request.method,
    url: redactor.url(context.fullUrl),
    route: record.route?.name ?? null,
    status: outcome.status,
    ip: request.clientAddress,
    time: record.startedAt,
    durationMs,
    errorClass: outcome.errorClass,
    handler: record.handler,
    logErrorCount: outcome.logErrorCount,
    logCount: log.records.length + log.dropped,
    errorFamily: null,
    traceId: parseTraceparent(context.header('traceparent') ?? '')?.traceId ?? null,
    version: null,
    ownCpuMs: null,
    queryCount: 0,
    ...contributed,
    findings: merged([
      endFindings({ ...outcome, durationMs }, slowMs),
      ...contributions.map(({ findings }) => findings),
    ]),
  }
}

/** How a request ended. A response that broke off before its first byte counts as none: status 0. */
export function outcomeOf(ended: {
  readonly status: number | undefined
  readonly sent: RequestRecord['sent'] | undefined
  readonly errorClass: string | null
  readonly records: RequestRecord['log']['records']
}): Outcome {
  const { status = 0, sent, errorClass, records } = ended
  return {
    status: sent?.aborted === true && sent.bytes === 0 ? 0 : status,
    errorClass,
    logErrorCount: records.filter(({ level }) => isErrorLevel(level)).length,
  }
}

/** The findings that need no collector. `slowMs`: see `SummaryRules`. */
export function endFindings(
  ended: Outcome & { readonly durationMs: number },
  slowMs: number | null = defaultSlowMs,
): readonly Finding[] {
  const isSlow = slowMs !== null && ended.durationMs >= slowMs
  return [...(isErrorOutcome(ended) ? (['error'] as const) : []), ...(isSlow ? (['slow'] as const) : [])]
}

/** Any collector may report findings in its data: `findings: [{ kind: 'n+1' }]`. */
export function listedFindings(data: unknown): readonly Finding[] {
  if (typeof data !== 'object' || data === null || !('findings' in data) || !Array.isArray(data.findings)) return []
  return data.findings.flatMap((entry: unknown): readonly Finding[] => {
    if (typeof entry !== 'object' || entry === null || !('kind' in entry)) return []
    return entry.kind === 'n+1' ? ['n_plus_one'] : entry.kind === 'blocked' ? ['blocked'] : []
  })
}

function merged(lists: readonly (readonly Finding[] | undefined)[]): readonly Finding[] {
  const found = new Set(lists.flatMap((list) => list ?? []))
  return findingNames.filter((name) => found.has(name))
}
