// A fetch that came to nothing: the error itself names neither address nor place, the record of the request does.

import type { Exchange } from '../../framework/kernel/exchange.ts'
import type { HintRule } from './hint.ts'

/** A fetch that came to nothing. */
export const failedFetch: HintRule = {
  name: 'failed-fetch',
  asked: { texts: ['fetch failed'] },
  matches: (error, exchange) => error.message === 'fetch failed' && lastFailedCall(exchange) !== undefined,
  explain: (_error, exchange) => {
    const { method, url, callSite, error } = lastFailedCall(exchange) ?? unknownCall
    return {
      title: `${method} ${url} got no answer`,
      text: `The call${callSite === null ? '' : ` made at ${callSite}`} failed: ${error}. Its cause stands below.`,
    }
  },
}

interface Call {
  readonly method: string
  readonly url: string
  readonly error: string
  readonly callSite: string | null
}

const unknownCall: Call = { method: 'A call', url: '', error: 'for no known reason', callSite: null }

/** The newest captured call without an answer. What is kept comes from another layer, so its shape is looked at. */
function lastFailedCall({ recording }: Exchange): Call | undefined {
  const kept = recording?.kept('http-client')
  if (!isRecord(kept) || typeof kept['toData'] !== 'function') return undefined
  const data: unknown = Reflect.apply(kept['toData'], kept, [])
  const calls: unknown = isRecord(data) ? data['calls'] : undefined
  return Array.isArray(calls) ? calls.findLast(isFailedCall) : undefined
}

function isFailedCall(call: unknown): call is Call {
  if (!isRecord(call) || typeof call['error'] !== 'string') return false
  const { method, url, callSite } = call
  return typeof method === 'string' && typeof url === 'string' && (callSite === null || typeof callSite === 'string')
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
