// What is masked, as tables. Functions that apply them live beside: header-treatment, sensitive-key, mask-text, mask-url.
// Names are written the way they are compared: lower case, words joined by `_`.

/** What stands for everything masked: says nothing of length or content. */
export const mask = '******'

/** Rules of an application. They only add: nothing that is masked by default can be shown. */
export interface RedactionRules {
  /** Header names whose values are masked besides, in requests and responses: `x-tenant`. Default: none. */
  readonly headers?: readonly string[]
  /** Keys of JSON, forms, queries, error properties and log contexts whose values are masked besides. Default: none. */
  readonly keys?: readonly string[]
  /** Parts of any text that are masked besides. Must run in linear time; the flags `g` and `y` are of no account. Default: none. */
  readonly patterns?: readonly RegExp[]
}

/** Request headers shown in full. Every other request header keeps its name and loses its value. */
export const shownRequestHeaders: readonly string[] = [
  'accept',
  'accept_encoding',
  'accept_language',
  'cache_control',
  'connection',
  'content_length',
  'content_type',
  'host',
  'range',
  'te',
  'upgrade',
  'user_agent',
  'x_requested_with',
  'traceparent',
]

/** Beginnings of names of request headers shown in full. */
export const shownRequestHeaderPrefixes: readonly string[] = ['if_', 'sec_fetch_', 'sec_ch_ua']

/** Headers that hold a URL, masked by the URL rules. */
export const urlHeaders: readonly string[] = ['origin', 'referer', 'location', 'content_location', 'refresh', 'link']

/** Headers masked wherever they stand. In requests the allow-list masks them anyway; responses show what is not named here. */
export const maskedHeaders: readonly string[] = [
  'authorization',
  'proxy_authorization',
  'www_authenticate',
  'proxy_authenticate',
  'authentication_info',
  'proxy_authentication_info',
  'x_api_key',
  'api_key',
  'x_access_token',
  'x_csrf_token',
  'x_xsrf_token',
  'x_amz_security_token',
  'x_vault_token',
  'x_gitlab_token',
  'stripe_signature',
  'x_forwarded_client_cert',
  'dpop',
  'x_real_ip',
  'x_forwarded_for',
  'forwarded',
  'cf_connecting_ip',
]

/** Beginnings of names of headers masked wherever they stand. */
export const maskedHeaderPrefixes: readonly string[] = [
  'x_auth_',
  'x_goog_',
  'x_hub_signature',
  'x_shopify_',
  'ssl_client_',
  'x_jwt_',
  'x_user_',
]

/** Response headers of the library's own that look like secrets and are none: they name the profile that shows them. */
export const shownResponseHeaders: readonly string[] = ['x_debug_token', 'x_debug_token_link']

/** Keys whose values are masked when the whole key is this word. */
export const sensitiveKeys: readonly string[] = [
  'pass',
  'key',
  'auth',
  'bearer',
  'session',
  'session_id',
  'sid',
  'phpsessid',
  'jsessionid',
  'connect_sid',
  'csrf',
  'xsrf',
  'otp',
  'totp',
  'mfa',
  'pin',
  'cvv',
  'cvc',
  'card',
  'pan',
  'iban',
  'ssn',
  'sig',
  'jwt',
  'assertion',
  'nonce',
  'mysql_pwd',
  'dsn',
  'cookie',
  'set_cookie',
  'cookies',
]

/** Words that make a key sensitive when it ends with them: `new_password`, `accessToken`, `stripe-signature`. */
export const sensitiveKeyEndings: readonly string[] = [
  'password',
  'passwd',
  'pwd',
  'passphrase',
  'passcode',
  'secret',
  'secrets',
  'secret_key',
  'token',
  'tokens',
  'api_key',
  'access_key',
  'access_key_id',
  'private_key',
  'encryption_key',
  'authorization',
  'credential',
  'credentials',
  'session_id',
  'card_number',
  'card_no',
  'credit_card',
  'account_number',
  'signature',
  'connection_string',
  'csrf_token',
  'saml_response',
  'saml_request',
]

/** Beginnings that make a key sensitive. */
export const sensitiveKeyBeginnings: readonly string[] = ['saml']

/** Keys that are sensitive only beside another key: an authorization code travels with its `state`. */
export const sensitiveTogether: readonly (readonly [key: string, beside: string])[] = [['code', 'state']]

/** Environment variables whose values may be captured. Of all others not even the name is. */
export const shownEnvironment: readonly string[] = ['NODE_ENV', 'TZ', 'LANG', 'PORT']

/** Names of settings whose values are masked, should a setting ever be shown. */
export const sensitiveSetting: RegExp =
  /pass|pwd|secret|token|api_?key|access_?key|private|credential|auth|session|cookie|csrf|xsrf|salt|sign(?:ature)?|cert|dsn|conn(?:ection)?_?str|database|redis|mongo|smtp|aws_|gcp_|azure_|github_|npm_|stripe|twilio|sentry|vcap|jwt|bearer|oauth|license|webhook|encryption|master|hmac|otp|pin$|ssn/

/** Names of settings that hold a URL: of its value only the secrets are masked. */
export const urlSetting: RegExp = /_ur[li]$/

/** A secret that shows by its form, whatever it stands under. */
export interface ValuePattern {
  readonly name: string
  /** Matches in linear time; what the first group holds stays in front of the mask. */
  readonly pattern: RegExp
  /** Narrows a match further, or masks every one. */
  readonly isSecret?: (match: string) => boolean
}

/** Secrets by their form. Each pattern begins with fixed characters or a look-behind, so that long text costs linear time. */
export const valuePatterns: readonly ValuePattern[] = [
  { name: 'PEM block', pattern: /()-----BEGIN[^]*?(?:-----END[A-Z0-9 ]{0,40}-----|$)/g },
  { name: 'HTTP credentials', pattern: /\b((?:Bearer|Basic|Digest|Negotiate)[ \t]{1,8})[^\s"'<>,;]{4,}/gi },
  { name: 'JWT', pattern: /()\beyJ[\w-]{8,}(?:\.[\w-]*)*/g },
  { name: 'AWS access key', pattern: /()\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g },
  { name: 'GitHub token', pattern: /()\b(?:gh[opsur]_|github_pat_)\w{10,}/g },
  { name: 'Stripe key', pattern: /()\b[sr]k_(?:live|test)_\w{8,}/g },
  { name: 'Slack token', pattern: /()\bxox[abeprs]-[\w-]{8,}/g },
  { name: 'Google API key', pattern: /()\bAIza[\w-]{20,}/g },
  { name: 'card number', pattern: /()(?<![\d.])\d(?:[ -]?\d){12,18}(?!\d)/g, isSecret: passesLuhn },
]

/** Tells by its words whether one of the patterns may match; most texts hold nothing of the kind. */
export const mayHoldSecret: RegExp =
  /-----BEGIN|[Bb][Ee][Aa]|[Bb][Aa][Ss]|[Dd][Ii][Gg]|[Nn][Ee][Gg]|eyJ|AKIA|ASIA|gh[opsur]_|github_pat_|[sr]k_|xox[abeprs]-|AIza/

/** Tells whether a text has digits enough for a card number. */
export const mayHoldCardNumber: RegExp = /\d(?:[ -]?\d){12}/

/**
 * Whether 13–19 digits, perhaps set apart by spaces or dashes, carry a valid check digit (ISO/IEC 7812). Times in milliseconds
 * have 13 digits and begin with 1, as no card of that length does; a tenth of them would pass, so they are left out.
 */
export function passesLuhn(text: string): boolean {
  let sum = 0
  let count = 0
  for (let index = text.length - 1; index >= 0; index -= 1) {
    const digit = text.charCodeAt(index) - 48
    if (digit < 0 || digit > 9) continue
    const doubled = count % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
    count += 1
  }
  if (count === 13 && text.startsWith('1')) return false
  return count >= 13 && count <= 19 && sum % 10 === 0
}
