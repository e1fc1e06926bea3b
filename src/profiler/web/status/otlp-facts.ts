// Traces that are sent and received, in words.

import { countOf } from '../../../errors/page/page-budget.ts'
import { formatCount } from '../../../framework/html/components.ts'
import type { OtlpStatus, ReceivingStatus, SendingStatus } from '../../otlp/otlp-status.ts'

/** What went wrong, a sentence each. */
export function otlpProblems({ sending, receiving }: OtlpStatus): readonly string[] {
  return [
    ...(sending === null ? [] : sendingProblems(sending)),
    ...(receiving === null ? [] : receivingProblems(receiving)),
  ]
}

function sendingProblems(sending: SendingStatus): readonly string[] {
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

function receivingProblems(receiving: ReceivingStatus): readonly string[] {
  const { rejectedSpans, rejectedLogRecords, refused, problem } = receiving
  if (problem === null) return []
  const counts = [
    ...(rejectedSpans === 0 ? [] : [countOf(rejectedSpans, 'received span')]),
    ...(rejectedLogRecords === 0 ? [] : [countOf(rejectedLogRecords, 'received log line')]),
    ...(refused === 0 ? [] : [countOf(refused, 'received request')]),
  ]
  return [`Not kept: ${counts.join(', ')}. The last time: ${problem}.`]
}

export function receivingRows(receiving: ReceivingStatus): readonly (readonly [name: string, value: string])[] {
  return [
    ['Requests', formatCount(receiving.requests)],
    ['Spans', formatCount(receiving.spans)],
    ['Log lines', formatCount(receiving.logRecords)],
    ['Spans not kept', formatCount(receiving.rejectedSpans)],
    ['Log lines not kept', formatCount(receiving.rejectedLogRecords)],
    ['Requests refused', formatCount(receiving.refused)],
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
