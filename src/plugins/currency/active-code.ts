// Finds out which currency a request asks for. Only `[A-Z]{3}` gets through, from wherever it comes.

import { parseCookies } from '../../framework/http/cookies.ts'
import type { HttpRequest } from '../../framework/http/request.ts'
import { currencyCodePattern } from './currency.ts'
import type { CodeSource } from './currency-read.ts'

/** Name of the query parameter and of the cookie. */
export const currencyParameter = 'currency'

/** The code of a request, who named it, and what was ignored on the way. */
export interface ChosenCode {
  readonly code: string
  readonly source: CodeSource
  /** One sentence for each code that was named but is none; it never repeats what was sent. */
  readonly ignored: readonly string[]
}

/** The code named by `?currency=`, else by the cookie `currency`, else the default. The first of several counts. */
export function chooseCode(context: HttpRequest, defaultCode: string): ChosenCode {
  const ignored: string[] = []
  const fromQuery = queryCode(context.rawQuery)
  if (fromQuery !== undefined) {
    if (currencyCodePattern.test(fromQuery)) return { code: fromQuery, source: 'query', ignored }
    ignored.push(describeIgnored('query', fromQuery))
  }
  const cookieHeader = context.header('cookie')
  if (cookieHeader !== undefined && cookieHeader.includes(currencyParameter)) {
    const fromCookie = parseCookies(cookieHeader).get(currencyParameter)
    if (fromCookie !== undefined) {
      if (currencyCodePattern.test(fromCookie)) return { code: fromCookie, source: 'cookie', ignored }
      ignored.push(describeIgnored('cookie', fromCookie))
    }
  }
  return { code: defaultCode, source: 'default', ignored }
}

function queryCode(query: string): string | undefined {
  // Most requests name no currency: they pay for one search, not for a parse. The name may be percent-encoded.
  if (!query.includes(currencyParameter) && !query.includes('%')) return undefined
  return new URLSearchParams(query).get(currencyParameter) ?? undefined
}

function describeIgnored(place: 'query' | 'cookie', value: string): string {
  return `The currency named by the ${place} was ignored: ${value.length} characters that are not three letters A to Z.`
}
