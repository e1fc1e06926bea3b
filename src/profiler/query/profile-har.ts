// A profile as an HTTP Archive (HAR 1.2).

import { statusText } from '../../framework/http/status-text.ts'
import type { Profile } from '../profile.ts'

/** An archive of one entry. */
export function profileHar(profile: Profile, creatorVersion: string): object {
  const { data, method, url, status, durationMs } = profile
  const request = recordOf(data['request'])
  const responseHeaders = pairs(request['responseHeaders'])
  const field = (name: string): string =>
    responseHeaders.find((header) => header.name.toLowerCase() === name)?.value ?? ''
  const bytes = typeof request['bytes'] === 'number' ? request['bytes'] : -1
  return {
    log: {
      version: '1.2',
      creator: { name: 'fanlight', version: creatorVersion },
      entries: [
        {
          startedDateTime: new Date(profile.time).toISOString(),
          time: durationMs,
          request: {
            method,
            url,
            httpVersion: 'HTTP/1.1',
            cookies: pairs(request['cookies']),
            headers: pairs(request['headers']),
            queryString: pairs(request['query']),
            headersSize: -1,
            bodySize: -1,
          },
          response: {
            status,
            statusText: status === 0 ? '' : statusText(status),
            httpVersion: 'HTTP/1.1',
            cookies: [],
            headers: responseHeaders,
            content: { size: bytes, mimeType: field('content-type') },
            redirectURL: field('location'),
            headersSize: -1,
            bodySize: bytes,
          },
          cache: {},
          timings: { send: 0, wait: durationMs, receive: 0 },
        },
      ],
    },
  }
}

function recordOf(data: unknown): Readonly<Record<string, unknown>> {
  return (data ?? {}) as Readonly<Record<string, unknown>>
}

function pairs(fields: unknown): { readonly name: string; readonly value: string }[] {
  if (!Array.isArray(fields)) return []
  return fields.flatMap((field: unknown) => {
    if (!Array.isArray(field)) return []
    const [name, value] = field as unknown[]
    return typeof name === 'string' && typeof value === 'string' ? [{ name, value }] : []
  })
}
