// Tells a secret from prose behind `name: `, where neither is quoted: `X-Api-Key: …`, `password: …`, `{password:…}`, but not `Unknown key: a`.

interface Bare {
  readonly start: number
  readonly end: number
}

/** `X-Api-Key`, `x-auth` */
const headerName = /^[A-Za-z]\w*(?:-\w+)+$/
/** Names a profile, and is shown. */
const ownHeader = /^x-debug-token/i
/** A name that says by itself that a secret follows. */
const plainSecret =
  /pass(?:word|wd|wort|phrase|code|e$)|secret|pwd|credential|^(?:pin|[co]tp|totp|cv[cv]2?|ssn|iban)$|[^\0-\x7f]/i
const compound = /[_-]|[a-z][A-Z]/
/** What is no secret: a placeholder, a word that says what is wrong, a type, the scheme of credentials; and what is masked elsewhere. */
const harmless =
  /^(?:[[({<$:%*…/]|[\w$.#]{1,80}\(|(?:null|undefined|true|false|none|nan|required|invalid|missing|empty|unset|set|changed|wrong|expected|string|number|boolean|unknown|any|never|str|text|bearer|basic|digest|negotiate|token|apikey)\b|[^=]{0,80}=)/i
/** Not a word, a name in code or a call. */
const random = /[^A-Za-z_$.()?!#'-]/

/** Rules out most colons: times, ports, the scheme of an address. */
export function mayBeBare(text: string, colon: number): boolean {
  const before = text.charCodeAt(colon - 1)
  const after = text.charCodeAt(colon + 1)
  return isBlank(after) || (after !== 0x2f && after !== 0x3a && !(before >= 0x30 && before <= 0x39))
}

/** The value behind a colon, where it is a secret of that name; `undefined` where it may be prose. */
export function bareValue(text: string, colon: number, nameStart: number, name: string): Bare | undefined {
  let start = colon + 1
  while (isBlank(text.charCodeAt(start)) && start - colon < 8) start += 1
  let end = start
  while (end < text.length && end - start < longestRead && isBareCharacter(text.charCodeAt(end))) end += 1
  const value = text.slice(start, end)
  if (value === '' || harmless.test(value)) return undefined
  let before = nameStart - 1
  while (isBlank(text.charCodeAt(before)) && nameStart - before < 8) before -= 1
  const isFirst = before < 0 || /[^\p{L}\p{N}.!?:]/u.test(text.charAt(before))
  const isMember = text[before] === '{' || text[before] === ','
  const isTelling = plainSecret.test(name) || compound.test(name)
  const isRandom = random.test(value)
  // A word alone on its line, and not the variable of that name: `password: password`.
  const isAlone =
    isFirst && isLineEnd(text, end) && /^[A-Za-z]+$/.test(value) && value.toLowerCase() !== name.toLowerCase()
  const isSecret =
    start === colon + 1
      ? isFirst && (isTelling ? isRandom || isMember : isMember && isRandom)
      : (headerName.test(name) && !ownHeader.test(name)) ||
        (isTelling ? isRandom || isAlone : isFirst && value.length >= 6 && /\d/.test(value))
  if (!isSecret) return undefined
  while (end < text.length && isBareCharacter(text.charCodeAt(end))) end += 1
  return { start, end }
}

/** Characters that decide: what is behind them is only read to be masked. */
const longestRead = 200

function isLineEnd(text: string, at: number): boolean {
  let end = at
  while (isBlank(text.charCodeAt(end)) && end - at < 8) end += 1
  return end >= text.length || text[end] === '\n' || text[end] === '\r'
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

// Until a blank, a quote, or what ends a member: < > , ; ) } ]
function isBareCharacter(code: number): boolean {
  if (code <= 0x20 || code === 0x22 || code === 0x27 || code === 0x60 || code === 0x3c || code === 0x3e) return false
  return code !== 0x2c && code !== 0x3b && code !== 0x29 && code !== 0x7d && code !== 0x5d
}

/** Whether the second of `['password', '…']` is its value, and not the next of a list of names: `['token', 'name']`. */
export function isPairedValue(name: string, value: unknown): boolean {
  return plainSecret.test(name) || typeof value !== 'string' || !/^[A-Za-z][A-Za-z_-]*$/.test(value)
}
