// Where profiles are sent as traces, and with which header fields: as OpenTelemetry writes it.

import type { KeyObject } from 'node:crypto'

/** The two forms of a body; named as in `OTEL_EXPORTER_OTLP_PROTOCOL`. */
export const otlpProtocols = ['http/protobuf', 'http/json'] as const

export type OtlpProtocol = (typeof otlpProtocols)[number]

/** An address to send traces to; one without a path gets the usual one, `/v1/traces`. `null` for anything else. */
export function otlpAddress(text: string): string | null {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return null
  if (url.pathname === '/') url.pathname = '/v1/traces'
  url.hash = ''
  return url.href
}

/** `name=value,other=value`, values with percent signs; `null` for what cannot be read. */
export function otlpHeaders(text: KeyObject | null): Readonly<Record<string, string>> | null {
  const fields: [string, string][] = []
  for (const pair of text === null ? [] : text.export().toString('utf8').split(',')) {
    if (pair.trim() === '') continue
    const [, name, value = ''] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*([\x20-\x7e]*?)\s*$/.exec(pair) ?? []
    const decoded = name === undefined ? null : decodedValue(value)
    if (name === undefined || decoded === null) return null
    fields.push([name.toLowerCase(), decoded])
  }
  return Object.fromEntries(fields)
}

function decodedValue(value: string): string | null {
  try {
    const decoded = decodeURIComponent(value)
    return /^[\t\x20-\x7e\x80-\xff]*$/.test(decoded) ? decoded : null
  } catch {
    return null
  }
}
