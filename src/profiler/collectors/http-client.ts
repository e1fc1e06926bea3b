// Requests to other services.

import type { Redactor } from '../../framework/redact/redactor.ts'
import { httpClientData, type HttpClientData } from '../capture/http-client-data.ts'
import type { BuiltInCollector } from '../request-record.ts'
import { cutList } from './cut-list.ts'

/** Nothing if none was sent. */
export function httpClientCollector(redactor: Redactor): BuiltInCollector<HttpClientData> {
  return {
    name: 'http-client',
    collect: ({ parts }) => parts.outgoing && httpClientData(parts.outgoing, redactor),
    summarize: ({ traceId }) => (traceId === '' ? {} : { traceId }),
    // Headers are the larger part; failed requests stay.
    cut: (data, maxBytes) => {
      const bare = data.calls.map((call) => ({ ...call, requestHeaders: [], responseHeaders: [] }))
      const calls = cutList(bare, maxBytes, ({ error, status }) => error !== null || (status !== null && status >= 400))
      return { ...data, calls, dropped: data.dropped + data.calls.length - calls.length }
    },
  }
}
