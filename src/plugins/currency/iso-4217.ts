// The currency codes that are in use by ISO 4217, with title and sign from the runtime's own CLDR data.

/**
 * Every active code in alphabetical order: money, funds, metals, units of account, and the codes for tests and for none. From ISO 4217
 * List One as its agency published it on 2026-01-01.
 */
export const activeCodes: readonly string[] = `
  AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE
  CHF CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF
  GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR
  LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN
  PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS
  TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAD XAF XAG XAU XBA XBB XBC
  XBD XCD XCG XDR XOF XPD XPF XPT XSU XTS XUA XXX YER ZAR ZMW ZWG
`
  .trim()
  .split(/\s+/)

/**
 * Codes of the list that nobody pays with: funds, units of account, metals, bond units, and the codes for tests (XTS) and
 * for no currency (XXX).
 */
export const specialCodes: ReadonlySet<string> = new Set(
  `
  BOV CHE CHW CLF COU MXV USN UYI UYW XAD XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX
`
    .trim()
    .split(/\s+/),
)

/** Titles of codes that are younger than the CLDR data of the oldest supported runtime. */
const youngTitles: ReadonlyMap<string, string> = new Map([['XAD', 'Arab Accounting Dinar']])

/** English name of a currency: `Euro`. The code itself for one that the runtime does not know. */
export function currencyTitle(code: string): string {
  const names = new Intl.DisplayNames('en', { type: 'currency', fallback: 'none' })
  return names.of(code) ?? youngTitles.get(code) ?? code
}

/** The sign of a currency: `€`, `$`; its code if it has none. */
export function currencySign(code: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency: code, currencyDisplay: 'narrowSymbol' })
  return format.formatToParts(0).find((part) => part.type === 'currency')?.value ?? code
}
