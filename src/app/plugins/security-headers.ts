// Header fields that make browsers stricter, as a plugin: what a page may load (CSP 3), HTTPS for later visits (RFC 6797), and a few more.

import type { Plugin } from '../options.ts'
import { withMissing } from '../../errors/problem.ts'
import { Reply } from '../../base/http/reply.ts'
import { exchangeKey, type Exchange, type ExchangeKey } from '../../http/kernel/exchange.ts'
import { checkOptions, flag, isRecord, wholeNumberRule, type OptionRule } from '../../base/options/check-options.ts'

/** What `securityHeaders` takes. */
export interface SecurityHeadersOptions {
  /** Directives of the policy by name, `{ 'img-src': "'self' data:" }`, in place of the default ones; `false` leaves one out. `false` alone: no policy. */
  readonly contentSecurityPolicy?: false | Readonly<Record<string, string | false>>
  /** Whether browsers only report what breaks the policy. Default: no. */
  readonly reportOnly?: boolean
  /** How long browsers use HTTPS only, in seconds, after a response over HTTPS; 0 ends it. Default: a year. */
  readonly hstsMaxAgeSeconds?: number
  /** Other fields by name, in place of the default ones; `false` leaves one out. */
  readonly headers?: Readonly<Record<string, string | false>>
}

const self = "'self'"
const none = "'none'"
const directives = {
  'default-src': self,
  'script-src': self,
  'style-src': self,
  'object-src': none,
  'base-uri': none,
  'form-action': self,
  'frame-ancestors': none,
}
const fields = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}
const nonceKey: ExchangeKey<string> = exchangeKey('csp-nonce')

/** Names and values that cannot begin another field or directive. */
const recordOf = (allowed: string, value: RegExp): OptionRule => ({
  allowed,
  fits: (given) =>
    isRecord(given) &&
    Object.entries(given).every(([name, own]) => /^[a-z-]+$/.test(name) && (own === false || value.test(String(own)))),
})
/** A keyword without its quotes would be the name of a host. */
const policyRule = recordOf(
  "false, or a record with names such as 'img-src' and keywords in quotes: { 'img-src': \"'self' data:\" }",
  /^(?!(?:.*\s)?(?:self|none|unsafe-\w+|strict-dynamic|report-sample|nonce-\S+|sha\d+-\S+)(?:\s|$))[^;,\r\n]*$/i,
)

/** Makes the plugin. Name it first. A field that a reply already has stays as it is. */
export function securityHeaders(options: SecurityHeadersOptions = {}): Plugin {
  checkOptions<SecurityHeadersOptions>('securityHeaders()', options, {
    contentSecurityPolicy: { ...policyRule, fits: (value) => value === false || policyRule.fits(value) },
    reportOnly: flag,
    hstsMaxAgeSeconds: wholeNumberRule,
    headers: recordOf("a record such as { 'referrer-policy': 'no-referrer' }", /^[\t -~]*$/),
  })
  const { contentSecurityPolicy, reportOnly = false, hstsMaxAgeSeconds = 31_536_000, headers } = options
  const policyField = `content-security-policy${reportOnly ? '-report-only' : ''}`
  const policy = contentSecurityPolicy === false ? [] : given({ ...directives, ...contentSecurityPolicy })
  const constant = given({ ...fields, ...headers }).flat()
  return {
    name: 'security headers',
    listeners: [
      {
        name: 'security headers',
        onResponse(exchange, { status, headers: own, body }) {
          const added = [...constant]
          if (policy.length > 0) added.push(policyField, policyOf(policy, exchange.get(nonceKey)))
          if (exchange.request.scheme === 'https')
            added.push('strict-transport-security', `max-age=${hstsMaxAgeSeconds}`)
          // A copy: the application may send the same reply again.
          return withMissing(new Reply(status, [...own], body), added)
        },
      },
    ],
  }
}

/** The nonce for inline scripts and styles of this response, `` html`<script nonce="${cspNonce(exchange)}">` ``: `securityHeaders()` allows it. */
export function cspNonce(exchange: Exchange): string {
  const nonce = exchange.get(nonceKey) ?? process.getBuiltinModule('node:crypto').randomUUID()
  exchange.set(nonceKey, nonce)
  return nonce
}

const given = (texts: Readonly<Record<string, string | false>>): (readonly [name: string, value: string])[] =>
  Object.entries(texts).filter((entry): entry is [string, string] => entry[1] !== false)

function policyOf(policy: readonly (readonly [name: string, sources: string])[], nonce?: string): string {
  const takesNonce = (name: string): boolean => nonce !== undefined && (name === 'script-src' || name === 'style-src')
  return policy.map(([name, text]) => `${name} ${text}${takesNonce(name) ? ` 'nonce-${nonce}'` : ''}`).join('; ')
}
