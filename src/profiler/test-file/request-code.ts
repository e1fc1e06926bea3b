// A recorded request as the request of a test: what the application may decide by, and nothing that every client makes itself.

import { readPairs } from '../../framework/http/query.ts'
import type { MissingValue, RepeatableRequest } from '../replay/repeatable-request.ts'
import { Expression, literal, template, filled, type MissingValues } from './literal.ts'

/** Parts of the request, as values and expressions for `literal`. */
export interface RequestCode {
  readonly method: string
  /** Path and query. */
  readonly url: string | Expression
  readonly headers: Readonly<Record<string, unknown>>
  /** `undefined`: none was sent. */
  readonly body: unknown
  /** Whether the body is a value that is sent as JSON; else it is text. */
  readonly isJson: boolean
}

/** Clients and proxies add these for themselves, and no application should decide by them. */
const unneeded =
  /^(?:accept-encoding|priority|upgrade-insecure-requests|dnt|traceparent|tracestate|baggage|x-debug-.*|sec-(?!fetch-site$).*)$/i

/** Columns before a body: it is a member of the request. */
const formIndent = '    '

export function requestCode(request: RepeatableRequest, values: MissingValues): RequestCode {
  const missing = request.missing.filter(({ place, name }) => place !== 'header' || !unneeded.test(name))
  // In the order of the file: values are named in the order in which they are asked for.
  const url = urlOf(request, values)
  const headers = headersOf(request, missing, values)
  const body = bodyOf(request, missing, values)
  const isJson = request.body.state === 'there' && request.body.kind === 'json'
  // A value is sent as `application/json` by itself.
  if (isJson && request.body.mediaType === 'application/json') delete headers['content-type']
  return { method: request.method, url, headers, body, isJson }
}

function headersOf(
  { headers, host }: RepeatableRequest,
  missing: readonly MissingValue[],
  values: MissingValues,
): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  if (!/^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(host)) fields['host'] = host
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    if (unneeded.test(key)) continue
    const before = fields[key]
    fields[key] = typeof before === 'string' ? `${before}${key === 'cookie' ? '; ' : ', '}${value}` : value
  }
  for (const value of missing) if (value.place === 'header') fields[value.name.toLowerCase()] = values.take(value)
  const cookies = missing.filter(({ place }) => place === 'cookie')
  if (cookies.length > 0) {
    fields['cookie'] = template(
      cookies.flatMap((cookie, index) => [`${index === 0 ? '' : '; '}${cookie.name}=`, values.take(cookie)]),
    )
  }
  return fields
}

function urlOf({ target, missing }: RepeatableRequest, values: MissingValues): string | Expression {
  if (!missing.some(({ place }) => place === 'path' || place === 'query')) return target
  return template(
    target.split(/([/?&])/).flatMap((part): readonly (string | Expression)[] => {
      const segment = missing.find(({ place, name }) => place === 'path' && name === part)
      if (segment !== undefined) return [values.take(segment)]
      const name = readPairs(part)[0]?.[0]
      const parameter = missing.find((value) => value.place === 'query' && value.name === name)
      const isValue = parameter !== undefined && part.includes('=')
      return isValue ? [part.slice(0, part.indexOf('=') + 1), values.take(parameter)] : [part]
    }),
  )
}

function bodyOf({ body }: RepeatableRequest, missing: readonly MissingValue[], values: MissingValues): unknown {
  if (body.state === 'none') return undefined
  const places = missing.filter(({ place }) => place === 'body')
  if (body.state === 'missing' || places.some(({ name }) => name === ''))
    return values.take({ place: 'body', name: '' })
  if (body.kind === 'json') {
    return filled(JSON.parse(body.text), (_, path) => {
      const place = places.find(({ name }) => name === path)
      return place === undefined ? undefined : values.take(place)
    })
  }
  return body.kind === 'form' ? formOf(body.text, places, values) : body.text
}

/** As text; a form with values to fill in is encoded by the test. */
function formOf(text: string, places: readonly MissingValue[], values: MissingValues): string | Expression {
  if (places.length === 0) return text
  const fields = readPairs(text).map(([name, value]) => {
    const place = places.find((one) => one.name === name)
    return [name, place === undefined ? value : values.take(place)]
  })
  return new Expression(`String(new URLSearchParams(${literal(fields, formIndent)}))`)
}
