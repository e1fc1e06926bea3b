// What is masked, as tables. Names are written as they are compared: in lower case, words joined by `_`.

/** Replaces every secret, whatever its length. */
export const mask = '******'

/** Rules of an application. They only add to the built-in ones. */
export interface RedactionRules {
  /** Further headers to mask, in requests and responses: `x-tenant`. Default: none. */
  readonly headers?: readonly string[]
  /** Further keys to mask, in JSON, forms, queries, error properties and log contexts. Default: none. */
  readonly keys?: readonly string[]
  /** Further secrets by their form. Must run in linear time; the flags `g` and `y` are ignored. Default: none. */
  readonly patterns?: readonly RegExp[]
}

/** Request headers shown in full. Of all others only the name is shown. */
export const shownRequestHeaders: readonly string[] = (
  'accept accept_charset accept_encoding accept_language cache_control connection content_encoding ' +
  'content_language content_length content_type dnt expect host pragma priority range save_data te traceparent ' +
  'transfer_encoding upgrade upgrade_insecure_requests user_agent x_fanlight_profile x_forwarded_host ' +
  'x_forwarded_port x_forwarded_proto x_requested_with'
).split(' ')

/** Beginnings of names of request headers shown in full. */
export const shownRequestHeaderPrefixes: readonly string[] = 'access_control_request_ if_ sec_ch_ua sec_fetch_'.split(
  ' ',
)

/** Headers that hold a URL, masked by the URL rules. */
export const urlHeaders: readonly string[] = ['origin', 'referer', 'location', 'content_location', 'refresh', 'link']

/** Headers masked in requests and responses. Requests have an allow-list anyway. */
export const maskedHeaders: readonly string[] = (
  'authorization proxy_authorization www_authenticate proxy_authenticate authentication_info ' +
  'proxy_authentication_info x_api_key api_key x_access_token x_csrf_token x_xsrf_token x_amz_security_token ' +
  'x_vault_token x_gitlab_token stripe_signature x_forwarded_client_cert dpop x_real_ip cf_connecting_ip'
).split(' ')

/** Headers with addresses of clients and proxies. Each address is masked; how many there are, and the scheme, are shown. */
export const forwardedHeaders: readonly string[] = ['x_forwarded_for', 'forwarded']

/** Beginnings of names of such headers. */
export const maskedHeaderPrefixes: readonly string[] =
  'x_auth_ x_goog_ x_hub_signature x_shopify_ ssl_client_ x_jwt_ x_user_'.split(' ')

/** Response headers that only look like secrets. The first two name the profile itself. */
export const shownResponseHeaders: readonly string[] =
  'x_debug_token x_debug_token_link access_control_allow_credentials'.split(' ')

export const sensitiveKeys: readonly string[] = (
  'pass key auth bearer session session_id sid phpsessid jsessionid connect_sid csrf xsrf otp totp mfa pin cvv cvc ' +
  'card pan iban ssn sig jwt assertion code_verifier nonce mysql_pwd dsn cookie set_cookie cookies salt mnemonic ' +
  'passkey cvc2 cvv2 ccv pincode psw passw cred oauth_verifier pkce_verifier clave mdp parola ' +
  'basic_auth x_auth http_auth proxy_auth session_cookie auth_cookie'
).split(' ')

/** A key that contains one of these is sensitive: `password_confirmation`, `secretKeyBase`, `token_hash`. */
export const sensitiveKeyParts: readonly string[] = (
  'password passwd secret credential token private privkey api_key hmac creds passkey mnemonic passwort passwört kennwort motdepasse contraseña ' +
  'contrasena wachtwoord lösenord losenord adgangskode passord lozinka slaptažodis katasandi matkhau mậtkhẩu пароль секрет токен ' +
  'κωδικός 密码 密碼 口令 パスワード 暗証番号 비밀번호 סיסמה كلمةالمرور รหัสผ่าน पासवर्ड'
).split(' ')

/** Parts of words that only look like these. */
export const harmlessKeyParts: RegExp = /tokeni[sz]|secretar|passwordless/g

/** First words of keys that describe a secret and are not one: `has_password`, `max_tokens`, `is_private`. */
export const harmlessFirstWords: ReadonlySet<string> = new Set(
  'allow allows count has is max min needs num remaining require requires show total use uses'.split(' '),
)

/** Last words of such keys: `token_count`, `password_length`, `token_expires_at`, `secret_name`. */
export const harmlessLastWords: ReadonlySet<string> = new Set(
  (
    'age algorithm at count counts day enabled endpoint expiration expired expires expiry field in ip length limit minute ' +
    'mode name network policy required second size strength ttl type usage used version'
  ).split(' '),
)

/** Last words that make a key sensitive, unless one of these words is in front of them: `stripe_key`, but not `primary_key`. */
export const sensitiveLastWords: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    pass: 'boarding double first multi one render second single two',
    key:
      'attribute cache candidate composite config event feature field file flag foreign group hot i18n idempotency issue job ' +
      'label lookup map message natural object option parent partition primary project property public publishable ' +
      'registry routing row setting shard shortcut sort storage surrogate task translation unique',
    pin: 'button clock data drop gpio input led location map output reset',
    ...Object.fromEntries('csrf cvc cvv dsn iban jwt otp pwd salt ssn totp xsrf'.split(' ').map((last) => [last, ''])),
    tokens: 'audio cached completion input limit output prompt reasoning remaining reset text thinking used',
  }).map(([last, before]) => [last, new Set(before.split(' '))]),
)

/** Words in front of `code` that make a key sensitive: what lets somebody in or is worth money. `zip_code` and `asked_code` are none. */
const secretCodes =
  '2fa access activation alarm approval auth authentication authorization backup bypass captcha challenge claim confirm ' +
  'confirmation coupon device discount door email entry factor gate gift invitation invite license login magic mfa one_time otp ' +
  'pairing pin promo recovery redeem redemption referral registration reset safe scratch security session signin signup sms tan ' +
  'unlock user validation vault verification verify voucher'

/** A key that ends with one of these is sensitive: `stripe-signature`, `dbPwd`. */
export const sensitiveKeyEndings: readonly string[] = (
  'pwd passphrase passcode access_key access_key_id encryption_key authorization session_id card_number card_no ' +
  'credit_card account_number signature connection_string saml_response saml_request social_security_number ' +
  'social_security_no seed_phrase seed_words recovery_phrase backup_phrase auth_header authorization_header ' +
  'bearer_auth client_assertion security_answer maiden_name passport_number tax_id magic_link reset_link wallet_seed ' +
  'captcha_response signing_key ssh_key master_key license_key account_key ' +
  secretCodes.replaceAll(/(?= |$)/g, '_code')
).split(' ')

/** A key with one of these words is sensitive: too short to be looked for inside of words. */
export const sensitiveWords: ReadonlySet<string> = new Set(
  'pw pwd totp otpauth senha hasło haslo heslo salasana şifre sifre geslo jelszó jelszo parool kodeord passe'.split(
    ' ',
  ),
)

/** Plurals of sensitive keys that are harmless. */
export const harmlessPlurals: ReadonlySet<string> = new Set('assertions cards keys pans pins sessions'.split(' '))

/** Names of settings that hold the URL of a store or a server. What is no URL there is a secret as a whole. */
export const storeUrl: RegExp =
  /(?:^|_)(?:amqp|broker|celery|conn|connection|database|db|jdbc|mariadb|mongo|mongodb|mysql|pg|postgres|postgresql|rabbitmq|redis|smtp|sql)_ur[il]$/
/** What is a URL, or a file, there. */
export const storeAddress: RegExp = /^\s{0,4}(?:[a-z][a-z\d+.-]{0,30}:\/\/|(?:file|sqlite\d?):|:memory:|\*{6})/i

/** A key that starts with one of these is sensitive. */
export const sensitiveKeyBeginnings: readonly string[] = ['saml']

/** Keys that are sensitive only beside another key. OAuth sends an authorization code with its `state`. */
export const sensitiveTogether: readonly (readonly [key: string, beside: string])[] = [['code', 'state']]

/** A secret that is recognized by its form, whatever its name. */
export interface ValuePattern {
  /** The pattern only matches if this does. Absent for the patterns of an application, which are always tried. */
  readonly hint?: RegExp
  /** Runs in linear time. The first group stays in front of the mask. */
  readonly pattern: RegExp
  /** Narrows a match further. */
  readonly isSecret?: (match: string) => boolean
}

/** Beginnings of further tokens: of Shopify, Grafana, Vault, Sentry, Supabase, Docker and others. */
const beginnings = (
  'AGE-SECRET-KEY- ATATT3 ATCTT3 CFPAT- GOCSPX- NRAK- PMAK- dckr_pat_ dt0c01\\. figd_ fo1_ glc_ glsa_ gsk_ hv[brs]\\. lin_api_ lsv2_ nfp_ ntn_ ' +
  'nvapi- phx_ pplx- pscale_ pul- r8_ rpa_ rubygems_ sb_secret_ sbp_ secret_ shp(?:at|ca|pa|ss)_ sntr[uy]s_ sq0[a-z]{3}- tskey- xai-'
).replaceAll(' ', '|')

/** Each begins with fixed characters or a look-behind, so that long text costs linear time. */
export const valuePatterns: readonly (ValuePattern & { readonly hint: RegExp })[] = [
  // PEM.
  { hint: /-----BEGIN/, pattern: /()-----BEGIN[^]*?(?:-----END[A-Z0-9 ]{0,40}-----|$)/g },
  // HTTP credentials.
  {
    hint: /[Dd][Ii][Gg]/,
    pattern: /\b(Digest[ \t]{1,8})(?:[a-z]{1,20}=(?:"[^"]{0,400}"|[^\s,"]{1,100})[, \t]{0,4}){1,20}/gi,
  },
  {
    hint: /[Bb][Ee][Aa]|[Bb][Aa][Ss]|[Dd][Ii][Gg]|[Nn][Ee][Gg]/,
    // Not the words of a sentence: "no bearer token".
    pattern:
      /\b((?:Bearer|Basic|Digest|Negotiate)[ \t]{1,8})(?!(?:auth(?:entication|orization)?|credentials?|header|realm|required|scheme|tokens?)\b)[^\s"'<>,;]{4,}/gi,
  },
  // The same for words of everyday sentences: only what has a digit is a token.
  {
    hint: /[Tt][Oo][Kk][Ee][Nn] |[Aa][Pp][Ii]-?[Kk][Ee][Yy] /,
    pattern: /(?<!(?:expected|invalid) )\b((?:Token|Api-?Key) {1,4})(?=[^\s"'<>,;]{0,100}\d)[\w.~+/=-]{6,}/gi,
  },
  // Credentials of a scheme that is not known, and what commands and SQL are given.
  { hint: /[Aa]uthorization:/, pattern: /(\bAuthorization: {1,4}[\w*-]{1,40} {1,4})(?=\S{0,99}\d)[^\s"'<>,;]{6,}/gi },
  {
    hint: /--[a-z]/,
    pattern: /(--(?:[\w-]{1,40}-)?(?:password|pass|secret|token|api-?key) {1,4}["']?)(?=\S{0,99}\d)[^\s"']{6,}/g,
  },
  // `mysql -u root -psecret`, but no ports: `docker run --name mysql -p3306:3306`.
  {
    hint: / -p\S| -a /,
    pattern:
      /((?<![\w/.-])(?:(?:mysql|mariadb)[a-z-]{0,12}(?: {1,4}-{1,2}[\w-]{1,40}(?:[= ]{1,4}[^\s-]\S{0,100})?){0,20}? {1,4}-p|(?:redis|valkey)-cli(?: {1,4}-{1,2}[\w-]{1,40}(?:[= ]{1,4}[^\s-]\S{0,100})?){0,20}? {1,4}-a {1,4})["']?)(?!\d{1,5}:\d)[^\s"']+/g,
  },
  { hint: /[DdYyOo] {1,4}'/, pattern: /(\b(?:password|identified by|password to) {1,4}')[^']+/gi },
  // `user:password@tcp(host)` of Go, `user:password@host:port` without a scheme, `user/password@//host` of Oracle, `curl -u user:password`.
  {
    hint: /@(?:tcp6?|unix|udp|cloudsql)\(/,
    pattern: /(?<![\w.-])([\w.-]{1,64}:)[^\s:"'()]{1,200}(?=@(?:tcp6?|unix|udp|cloudsql)\()/g,
  },
  {
    hint: /@[\w.-]{1,200}:\d/,
    pattern: /(?<![\w./-])([\w.-]{1,64}:)(?!\/\/)[^\s:@/"'()]{1,200}(?=@[\w.-]{1,200}:\d{2,5}(?![\w]))/g,
  },
  { hint: /@\/\//, pattern: /(?<![\w.-])([\w.-]{1,64}\/)[^\s:@/"'()]{1,200}(?=@\/\/)/g },
  {
    hint: / -u| -U| --(?:proxy-)?user/,
    pattern: /(?<=\s)((?:-[uU]|--(?:proxy-)?user)[ =]{0,4}["']?[^\s:"']{1,64}:)(?!\d{1,6}(?:\s|$))[^\s"']+/g,
  },
  // JSON Web Tokens.
  { hint: /eyJ/, pattern: /()\beyJ[\w-]{8,}(?:\.[\w-]*)*/g },
  // AWS, Google, DigitalOcean.
  { hint: /AKIA|ASIA/, pattern: /()\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g },
  { hint: /AIza|ya29/, pattern: /()\b(?:AIza[\w-]{20,}|ya29\.[\w.-]{20,})/g },
  { hint: /do[opr]_v1_/, pattern: /()\bdo[opr]_v1_[a-f0-9]{40,}/g },
  // GitHub, GitLab.
  { hint: /gh[opsur]_|github_pat_/, pattern: /()\b(?:gh[opsur]_|github_pat_)\w{10,}/g },
  {
    hint: /gl[a-z]{2,5}-/,
    pattern: /()\bgl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|soat)-[\w-]{20,}(?:\.[\w-]+)*/g,
  },
  // Stripe, SendGrid.
  { hint: /[sr]k_|whsec_/, pattern: /()\b(?:[sr]k_(?:live|test)_\w{8,}|whsec_[\w+/=-]{16,})/g },
  { hint: /SG\./, pattern: /()\bSG\.[\w-]{16,}\.[\w-]{16,}/g },
  // Slack.
  { hint: /xox[abeprs]-|xapp-/, pattern: /()\b(?:xox[abeprs]-|xapp-\d-)[\w-]{8,}/g },
  // OpenAI and others, Anthropic, Hugging Face.
  { hint: /sk-/, pattern: /()\bsk-(?:(?:admin|ant|or-v1|proj|svcacct)-[\w-]{16,}|[A-Za-z0-9]{32,})/g },
  { hint: /hf_/, pattern: /()\bhf_[A-Za-z0-9]{30,}/g },
  // A name in words has no digit.
  {
    hint: /[_.-][A-Za-z\d]{20}/,
    pattern: new RegExp(String.raw`()\b(?:${beginnings})(?=[\w.=-]{0,40}\d)[\w.=-]{20,}`, 'g'),
  },
  // A bot of Telegram.
  { hint: /\d:AA/, pattern: /()(?<!\d)\d{8,10}:AA[\w-]{32,}/g },
  // npm, PyPI.
  { hint: /npm_/, pattern: /()\bnpm_[A-Za-z0-9]{30,}/g },
  { hint: /pypi-/, pattern: /()\bpypi-AgE[\w-]{16,}/g },
  // Webhooks of Slack, Discord and Teams: the address is the secret.
  { hint: /hooks\.slack/, pattern: /(\bhooks\.slack\.com\/(?:services|triggers|workflows)\/)[\w/-]+/g },
  { hint: /\/webhooks\//, pattern: /(\bdiscord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/)[\w/-]+/g },
  {
    hint: /\.office/,
    pattern: /(\b(?:webhook\.office\.com\/webhookb2|outlook\.office(?:365)?\.com\/webhook)\/)[\w@/-]+/g,
  },
  // Card numbers; not the digits of a random number in hexadecimal.
  { hint: /\d(?:[ -]?\d){12}/, pattern: /()(?<![\da-f.])\d(?:[ -]?\d){12,18}(?![\da-f])/g, isSecret: passesLuhn },
]

/** Rules out most texts at once. */
export const mayHoldSecret: RegExp = new RegExp(valuePatterns.map(({ hint }) => hint.source).join('|'))

/**
 * Whether 13–19 digits, perhaps separated by spaces or dashes, have a valid check digit (ISO/IEC 7812). Times in milliseconds
 * have 13 digits and start with 1, as no card of that length does; a tenth of them would pass, so they are excluded.
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
