// Variables of OpenTelemetry: where profiles are sent as traces, and how.

import { createSecretKey, type KeyObject } from 'node:crypto'
import * as v from 'valibot'
import { mask } from '../../base/redact/rules.ts'
import { hideCredentials } from '../../base/redact/hide-credentials.ts'
import { RuntimeContextError, type ReadVariable, type VariablesOf } from './variable.ts'

/** The two forms of a body; named as in `OTEL_EXPORTER_OTLP_PROTOCOL`. */
export const otlpProtocols = ['http/protobuf', 'http/json'] as const

export type OtlpProtocol = (typeof otlpProtocols)[number]

/** Settings of sending traces. */
export interface OtlpContext {
  /** Where each profile is sent: `http://127.0.0.1:4318/v1/traces`; `null` for nowhere. */
  readonly address: string | null
  readonly protocol: OtlpProtocol
  /** Header fields to send, as `otlpHeaders` reads them; `null` for none. Never printed. */
  readonly headers: KeyObject | null
}

export interface OtlpValues {
  readonly APP_OTLP: string
  readonly OTEL_EXPORTER_OTLP_PROTOCOL: string
  readonly OTEL_EXPORTER_OTLP_HEADERS: KeyObject | null
}

/** The variables, in the order in which they are checked. */
export const otlpVariables: VariablesOf<OtlpValues> = {
  APP_OTLP: {
    schema: v.pipe(
      v.string(),
      v.check((text) => otlpAddress(text) !== null),
      v.transform((text) => otlpAddress(text) ?? text),
    ),
    allowed: 'an http or https address without user and password, such as http://127.0.0.1:4318/v1/traces',
    show: hideCredentials,
  },
  // Libraries of OpenTelemetry read these two as well, and know more values.
  OTEL_EXPORTER_OTLP_PROTOCOL: { schema: v.string(), allowed: otlpProtocols.join(', ') },
  OTEL_EXPORTER_OTLP_HEADERS: {
    schema: v.pipe(
      v.string(),
      v.transform((text) => (text.trim() === '' ? null : createSecretKey(text, 'utf8'))),
    ),
    allowed: 'name=value pairs, separated by commas, values with percent signs for special characters',
    show: () => mask,
  },
}

/** Throws a RuntimeContextError for a wrong value; what belongs to other libraries only counts with `APP_OTLP`. */
export function otlpContext(read: ReadVariable<OtlpValues>): OtlpContext {
  const address = read('APP_OTLP', null)
  const named = read('OTEL_EXPORTER_OTLP_PROTOCOL', null)
  const headers = read('OTEL_EXPORTER_OTLP_HEADERS', null)
  const protocol = otlpProtocols.find((known) => known === named)
  if (address !== null && named !== null && named !== '' && protocol === undefined) {
    const shown = JSON.stringify(named.slice(0, 200))
    throw new RuntimeContextError(
      `OTEL_EXPORTER_OTLP_PROTOCOL=${shown} cannot be used with APP_OTLP: allowed are ${otlpProtocols.join(', ')}`,
      { variable: 'OTEL_EXPORTER_OTLP_PROTOCOL' },
    )
  }
  if (address !== null && headers !== null && otlpHeaders(headers) === null) {
    throw new RuntimeContextError(
      `OTEL_EXPORTER_OTLP_HEADERS=${JSON.stringify(mask)} cannot be used with APP_OTLP: allowed are ${otlpVariables.OTEL_EXPORTER_OTLP_HEADERS.allowed}`,
      { variable: 'OTEL_EXPORTER_OTLP_HEADERS' },
    )
  }
  return Object.freeze({ address, protocol: protocol ?? otlpProtocols[0], headers })
}

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
