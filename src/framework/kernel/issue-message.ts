// Messages of validators that quote what was sent: `Expected "a" but received "secret"`. Responses and logs get them without it.

const maxMessage = 300
/** Parts of a value that are looked for. */
const maxParts = 200

/** The message with `…` for each text and number of the value. */
export function withoutValues(message: string, value: unknown): string {
  let safe = message
  for (const part of partsOf(value)) {
    if (typeof part === 'string') {
      for (const quoted of [JSON.stringify(part), `'${part}'`, `"${part}"`, `\`${part}\``]) {
        safe = safe.replaceAll(quoted, (text) => `${text.charAt(0)}…${text.charAt(0)}`)
      }
    } else safe = replaceNumber(safe, String(part))
  }
  return safe.length > maxMessage ? `${safe.slice(0, maxMessage)}…` : safe
}

/** Texts and numbers of a value, its own or those inside it, the longest texts first. */
function partsOf(value: unknown): (string | number | bigint)[] {
  const parts: (string | number | bigint)[] = []
  const waiting = [value]
  for (let index = 0; index < waiting.length && parts.length < maxParts; index += 1) {
    const one = waiting[index]
    if (typeof one === 'string' || typeof one === 'number' || typeof one === 'bigint') parts.push(one)
    else if (typeof one === 'object' && one !== null) waiting.push(...Object.values(one).slice(0, maxParts))
  }
  return parts.toSorted((one, other) => String(other).length - String(one).length)
}

/** Not inside a longer number or a word: `8` stays in `18` and `u8`. */
function replaceNumber(message: string, digits: string): string {
  let safe = ''
  let from = 0
  for (let at = message.indexOf(digits); at >= 0; at = message.indexOf(digits, from)) {
    const end = at + digits.length
    const isPart = /[\w.]/.test(message.charAt(at - 1)) || /^(?:\w|\.\d)/.test(message.slice(end, end + 2))
    safe += message.slice(from, at) + (isPart ? digits : '…')
    from = end
  }
  return safe + message.slice(from)
}
