// Traces that are sent and received, in words.

import { countOf } from '../../../errors/page/page-budget.ts'
import { formatCount } from '../../../framework/html/components.ts'
import type { OtlpStatus, SendingStatus } from '../../otlp/otlp-status.ts'

/** What went wrong, a sentence each. */
export function otlpProblems({ sending }: OtlpStatus): readonly string[] {
  if (sending === null) return []
  const { address, problem, dropped, refused, rejectedSpans } = sending
  return [
    ...(problem === null ? [] : [`Profiles are not sent as traces: ${address} did not take them: ${problem}.`]),
    ...(dropped === 0
      ? []
      : [`${countOf(dropped, 'profile')} not sent as traces: too many waited, or they were gone.`]),
    ...(refused === 0 ? [] : [`${countOf(refused, 'profile')} refused as traces by ${address}.`]),
    ...(rejectedSpans === 0 ? [] : [`${countOf(rejectedSpans, 'span')} left out by ${address}.`]),
  ]
}

export function sendingRows(sending: SendingStatus): readonly (readonly [name: string, value: string])[] {
  return [
    ['To', sending.address],
    ['Sent', formatCount(sending.sent)],
    ['Waiting', formatCount(sending.waiting)],
    ['Dropped: queue full, gone, or at the end', formatCount(sending.dropped)],
    ['Refused by the receiver', formatCount(sending.refused)],
    ['Spans that it left out', formatCount(sending.rejectedSpans)],
    ['Requests that failed', formatCount(sending.failures)],
  ]
}
