// Amounts in English for the currencies that most pages show: as `Intl` writes them, without the runtime's data of languages,
// which takes 20 ms and 7 MB of a start. Every other currency and language is for `Intl`.

/** Digits after the point, of currencies whose English sign is no letters, so that nothing stands between sign and amount. */
const plainDigits: ReadonlyMap<string, number> = new Map([
  ['EUR', 2],
  ['USD', 2],
  ['GBP', 2],
  ['JPY', 0],
  ['CNY', 2],
  ['INR', 2],
  ['KRW', 0],
])

/** Digits after the point that a currency has; `undefined` for one that is not among the plain ones. */
export function plainFractionDigits(code: string): number | undefined {
  return plainDigits.get(code)
}

/** `-€1,299.00` for `-1299.00`: a decimal that is rounded already. */
export function plainAmount(rounded: string, sign: string): string {
  const isNegative = rounded.startsWith('-')
  const [whole = '', fraction] = (isNegative ? rounded.slice(1) : rounded).split('.')
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',')
  return `${isNegative ? '-' : ''}${sign}${grouped}${fraction === undefined ? '' : `.${fraction}`}`
}
