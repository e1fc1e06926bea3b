// Fills the summary of a profile: once, when the profile is made.

import { defaultSlowMs, isErrorOutcome, type Outcome } from '../framework/recording/outcome.ts'
import type { Redactor } from '../framework/redact/redactor.ts'
import { parseTraceparent } from './capture/trace-context.ts'
import type { Gathered } from './collect-data.ts'
import { outcomeOf } from './outcome-of.ts'
import { findingNames, type CollectedSummary, type Finding, type ProfileSummary } from './profile.ts'
import type { RecordingRecord, RequestRecord } from './request-record.ts'

const maxVersionLength = 64

/** What the summary needs besides the request. */
export interface SummaryRules {
  readonly redactor: Redactor
  /** Requests at least this long are slow, in milliseconds; `null`: none is. Default 500. */
  readonly slowMs?: number | null
}

/** The summary of a request, with what its collectors contribute. */
export function summarize(
  record: RequestRecord,
  recording: RecordingRecord,
  parts: Gathered['parts'],
  { redactor, slowMs = defaultSlowMs }: SummaryRules,
): ProfileSummary {
  const { context, route } = record
  const { records, dropped } = recording.logger
  const outcome = outcomeOf(record, recording)
  const { durationMs } = recording
  return {
    token: recording.token,
    parentToken: recording.parent?.token ?? null,
    childTokens: recording.children.map((child) => child.token),
    method: context.method,
    url: redactor.url(context.fullUrl),
    route: route?.name ?? null,
    status: outcome.status,
    ip: context.clientAddress,
    time: recording.startedAt,
    durationMs,
    errorClass: outcome.errorClass,
    handler: record.handlerName,
    logErrorCount: outcome.logErrorCount,
    logCount: records.length + dropped,
    ...collected(parts, endFindings({ ...outcome, durationMs }, slowMs), traceOf(context)),
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

function collected(parts: Gathered['parts'], findings: readonly Finding[], traceId: string | null): CollectedSummary {
  const summary = { errorFamily: null, traceId, version: null, ownCpuMs: null, queryCount: 0 }
  const found = new Set(findings)
  for (const { collector, data } of parts) {
    const { findings: more = [], ...contributed } = collector.summarize?.(data) ?? {}
    Object.assign(summary, contributed)
    for (const finding of [...more, ...listedFindings(data)]) found.add(finding)
  }
  return { ...summary, findings: findingNames.filter((name) => found.has(name)) }
}

function traceOf(context: RequestRecord['context']): string | null {
  return parseTraceparent(context.header('traceparent') ?? '')?.traceId ?? null
}

/** A version as a summary keeps it. */
export function summaryVersion(version: string | null): string | null {
  return version === null || version === '' ? null : version.slice(0, maxVersionLength)
}

/** Any collector may report findings in its data: `findings: [{ kind: 'n+1' }]`. */
function listedFindings(data: unknown): readonly Finding[] {
  if (typeof data !== 'object' || data === null || !('findings' in data) || !Array.isArray(data.findings)) return []
  return data.findings.flatMap((entry: unknown): readonly Finding[] => {
    if (typeof entry !== 'object' || entry === null || !('kind' in entry)) return []
    return entry.kind === 'n+1' ? ['n_plus_one'] : entry.kind === 'blocked' ? ['blocked'] : []
  })
}
