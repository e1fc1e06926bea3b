// The calls to other services that the request made, masked when the profile is made.

import type { HttpClientData, OutgoingCalls } from '../capture/outgoing-calls.ts'
import type { RecordCollector } from '../request-record.ts'
import { cutList } from './cut-list.ts'

/** Reads the calls that were captured under `http-client`; nothing where none was made. */
export const httpClientCollector: RecordCollector<HttpClientData> = {
  name: 'http-client',
  reads: ['http-client'],
  // Only the capture keeps something under this name.
  collect: ({ recording }) => (recording?.kept('http-client') as OutgoingCalls | undefined)?.toData(),
  summarize: ({ traceId }) => (traceId === '' ? {} : { traceId }),
  // Headers are the larger part; calls that went wrong stay.
  cut: (data, maxBytes) => {
    const bare = data.calls.map((call) => ({ ...call, requestHeaders: [], responseHeaders: [] }))
    const calls = cutList(bare, maxBytes, ({ error, status }) => error !== null || (status !== null && status >= 400))
    return { ...data, calls, dropped: data.dropped + data.calls.length - calls.length }
  },
}
