// Makes requests that carry a secret in one of the places that SECURITY section 4 lists, for properties about redaction.

import { fc } from './fast-check.ts'
import type { RawRequest } from './raw-client.ts'
import type { CarelessOrder } from './careless-app.ts'

/** A request to the careless application, and what of it must never be found again. */
export interface SecretRequest {
  readonly what: string
  readonly request: RawRequest & { readonly target: string; readonly headers: readonly string[] }
  /** In lower case. */
  readonly secret: string
  /** What the client that sent it may be shown again as it was sent: its address and its referer. */
  readonly verbatim: readonly string[]
}

const keys = (
  'password passwd pwd pass passphrase secret client_secret token id_token refresh_token access_token api_key apikey key ' +
  'private_key authorization auth bearer credential credentials session sessionid sid phpsessid connect.sid csrf xsrf ' +
  '_csrf_token otp totp mfa pin cvv cvc card cardnumber card_number pan iban account_number ssn signature sig ' +
  'x-amz-signature jwt assertion saml_assertion samlresponse nonce mysql_pwd dsn connection_string new_password db.password'
).split(' ')

const headerNames = (
  'authorization proxy-authorization x-api-key api-key x-auth-token x-access-token x-csrf-token x-xsrf-token ' +
  'x-amz-security-token x-amz-content-signature x-goog-api-key x-vault-token x-gitlab-token x-hub-signature-256 ' +
  'x-shopify-hmac-sha256 stripe-signature x-forwarded-client-cert ssl-client-cert dpop www-authenticate authentication-info ' +
  'x-jwt-assertion x-user-id x-real-ip x-forwarded-for forwarded cf-connecting-ip'
).split(' ')

const alphanumeric = 'abcdefghijklmnopqrstuvwxyz0123456789'
const secretText = fc
  .array(fc.constantFrom(...alphanumeric), { minLength: 18, maxLength: 24 })
  .map((characters) => `zq${characters.join('')}`)

/** A key in one of its spellings. */
const key = fc.tuple(fc.constantFrom(...keys), fc.nat(5)).map(([name, spelling]) => {
  if (spelling === 1) return name.toUpperCase()
  if (spelling === 2) return name.replaceAll('_', '-')
  if (spelling === 3) return name.replaceAll('_', '.')
  if (spelling === 4) return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  return name
})

const headerName = fc.oneof(
  fc.constantFrom(...headerNames),
  fc.constantFrom(...headerNames).map((name) => name.toUpperCase()),
  fc.stringMatching(/^x-[a-z]{3,12}$/).filter((name) => name !== 'x-requested-with'),
)

/** Text around a secret whose key alone must hide it: quotes, spaces, what ends values elsewhere. */
const surroundings = fc.constantFrom('', '"', "'", ' ', '&', ';', ',', '\\', '}', '=', ': ', '<b>', '\u00e9')

const card = fc.array(fc.nat(9), { minLength: 14, maxLength: 14 }).map((random) => {
  const digits = [4].concat(random)
  const sum = digits.reduce((total, digit, index) => {
    const weighed = index % 2 === 0 ? digit * 2 : digit
    return total + (weighed > 9 ? weighed - 9 : weighed)
  }, 0)
  return `${digits.join('')}${(10 - (sum % 10)) % 10}`
})

/** A text that gives a secret away by its form, and the secret. */
const formed: fc.Arbitrary<readonly [text: string, secret: string]> = fc.oneof(
  fc
    .tuple(
      secretText,
      fc.constantFrom<(secret: string) => string>(
        (secret) => `Bearer ${secret}`,
        (secret) => `bearer ${secret}`,
        (secret) => `Basic ${secret}`,
        (secret) => `eyJ${secret}.eyJ${secret}.${secret}`,
        (secret) => `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----`,
        (secret) => `-----BEGIN RSA PRIVATE KEY-----\n${secret}`,
        (secret) => `AKIA${secret.toUpperCase()}`,
        (secret) => `ASIA${secret.toUpperCase()}`,
        (secret) => `ghp_${secret}`,
        (secret) => `github_pat_${secret}`,
        (secret) => `sk_live_${secret}`,
        (secret) => `rk_live_${secret}`,
        (secret) => `xoxb-${secret}`,
        (secret) => `AIza${secret}${secret}`,
        (secret) => `postgres://user:${secret}@db.example/shop`,
        (secret) => `https://host/path?access_token=${secret}&a=1`,
        (secret) => `https://host/path#${secret}`,
        (secret) => `password=${secret}`,
        (secret) => `{"client_secret":"${secret}"}`,
        (secret) => `{"user":{"password": "${secret}"}}`,
        (secret) => `secret: '${secret}'`,
      ),
    )
    .map(([secret, form]) => [form(secret), secret] as const),
  card.map((digits) => [digits, digits] as const),
)

const prose = fc.constantFrom('', 'cannot use ', 'failed (', 'a: ', 'got "', 'line\n', 'x, ')

/** Keys that are masked wherever they are, beside the places where they are. */
export const secretRequest: fc.Arbitrary<SecretRequest> = fc.oneof(
  fc.tuple(headerName, secretText, surroundings).map(([name, secret, around]) =>
    made(`header ${name}`, secret, {
      target: '/nope',
      headers: [`${name}: ${header(around)}${secret}${header(around)}`],
    }),
  ),
  fc
    .tuple(key, secretText, fc.constantFrom('/nope', '/page'))
    .map(([name, secret, target]) =>
      made(`cookie ${name}`, secret, { target, headers: [`Cookie: a=1; ${name}=${secret}; theme=${secret}`] }),
    ),
  fc
    .tuple(key, secretText, surroundings, fc.constantFrom('/nope', '/page', '/order'))
    .map(([name, secret, around, path]) => {
      const target = `${path}?${encoded(name)}=${encoded(around)}${secret}`
      return made(`query ${name} of ${path}`, secret, { target, headers: [] }, [target])
    }),
  fc.tuple(secretText, fc.constantFrom('/nope', '/page')).map(([secret, path]) => {
    const target = `${path}?code=${secret}&state=1`
    return made('query code beside state', secret, { target, headers: [] }, [
      target,
      target.replace('&', '&amp;'),
      target.replace('&', '\\u0026'),
    ])
  }),
  fc
    .tuple(
      secretText,
      key,
      fc.constantFrom<(secret: string, name: string) => string>(
        (secret) => `http://user:${secret}@host/page`,
        (secret, name) => `http://host/page?${encoded(name)}=${secret}`,
        (secret) => `http://host/page#${secret}`,
      ),
      fc.constantFrom('/nope', '/page'),
    )
    .map(([secret, name, address, target]) => {
      const referer = address(secret, name)
      return made(`referer ${referer}`, secret, { target, headers: [`Referer: ${referer}`] }, [referer])
    }),
  fc.tuple(key, secretText, surroundings).map(([name, secret, around]) =>
    made(`form ${name}`, secret, {
      method: 'POST',
      target: '/form',
      headers: ['Content-Type: application/x-www-form-urlencoded'],
      body: `a=1&${encoded(name)}=${encoded(around)}${secret}`,
    }),
  ),
  fc.tuple(key, secretText, surroundings, fc.nat(3)).map(([name, secret, around, depth]) => {
    let value: unknown = { [name]: `${around}${secret}${around}` }
    for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { [`a${level}`]: value }
    return made(`json ${name} at ${depth}`, secret, posted('/json', value))
  }),
  fc
    .tuple(key, secretText, surroundings, fc.constantFrom('property', 'cause', 'log', 'span', 'thrown' as const))
    .map(([name, secret, around, place]) => {
      const text = place === 'cause' || place === 'thrown' ? `password=${secret}` : `${around}${secret}`
      return made(`${place} ${name}`, secret, posted('/order', { place, name, text } as CarelessOrder))
    }),
  fc.tuple(key, secretText).map(([name, secret]) => {
    const order: CarelessOrder = { place: 'answer', name: name.replaceAll('.', '_'), text: secret }
    return made(`answer ${name}`, secret, posted('/order', order))
  }),
  fc
    .tuple(
      formed,
      prose,
      fc.constantFrom('message', 'cause', 'log-message', 'property', 'log', 'span', 'span-name' as const),
    )
    .map(([[text, secret], before, place]) => {
      const order = { place, name: 'detail', text: `${before}${text}` } as CarelessOrder
      return made(`${place} by form: ${text}`, secret, posted('/order', order))
    }),
)

function made(
  what: string,
  secret: string,
  request: RawRequest & { headers: readonly string[] },
  verbatim: readonly string[] = [],
): SecretRequest {
  return { what, request, secret: secret.toLowerCase(), verbatim }
}

function posted(target: string, value: unknown): RawRequest & { headers: readonly string[] } {
  const body = Buffer.from(JSON.stringify(value)).toString('latin1')
  return { method: 'POST', target, headers: ['Content-Type: application/json'], body }
}

/** As it may be in a target, without characters that pages escape. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll("'", '%27')
}

/** As it may be in a header field. */
function header(text: string): string {
  return text === '\u00e9' ? '' : text
}
