// Fills an empty collection with every active currency at its sample rate, so that a fresh application has prices to show.

import { baseCurrencyCode, type Currency } from './currency.ts'
import type { CurrencyStore } from './store.ts'

/** The instant that the samples are dated with. */
const sampleRatesAt = '2026-07-09T00:00:00.000Z'

/**
 * Units of each currency for one euro, by code, for every active code of ISO 4217: rounded, and nobody should charge money by them.
 * Codes without a market (bond units, XTS, XXX) are 1.
 */
export const sampleRates: ReadonlyMap<string, string> = new Map(
  `
  AED=4.1995 AFN=75.471 ALL=96 AMD=434.53 AOA=1046.3 ARS=1658.1 AUD=1.6581 AWG=2.0469 AZN=1.9439 BAM=1.95583
  BBD=2.287 BDT=139.51 BHD=0.42996 BIF=3384.8 BMD=1.1435 BND=1.4637 BOB=7.9016 BOV=3.0391 BRL=6.0605 BSD=1.1435
  BTN=105.2 BWP=15.437 BYN=3.3733 BZD=2.287 CAD=1.5666 CDF=2630 CHE=0.9227 CHF=0.9227 CHW=0.9227 CLF=0.026211
  CLP=1040.6 CNY=7.8902 COP=4345.3 COU=10.863 CRC=571.75 CUP=27.444 CVE=110.265 CZK=24.254 DJF=203.22 DKK=7.46
  DOP=69.754 DZD=148.66 EGP=54.888 ERN=17.152 ETB=177.24 EUR=1 FJD=2.5729 FKP=0.85363 GBP=0.85363 GEL=3.0875
  GHS=12.579 GIP=0.85363 GMD=83.475 GNF=9948.4 GTQ=8.7706 GYD=238.99 HKD=8.9422 HNL=30.188 HTG=149.8 HUF=380
  IDR=19325 ILS=3.5448 INR=105.2 IQD=1498 IRR=1486600 ISK=140.65 JMD=180.67 JOD=0.81074 JPY=185.72 KES=147.51
  KGS=99.942 KHR=4585.4 KMF=491.968 KPW=1029.1 KRW=1669.5 KWD=0.35105 KYD=0.95288 KZT=571.75 LAK=24585
  LBP=102340 LKR=356.77 LRD=208.12 LSL=18.868 LYD=7.204 MAD=10.52 MDL=19.668 MGA=4917.1 MKD=61.5 MMK=2401.3
  MNT=4070.9 MOP=9.2052 MRU=45.74 MUR=52.601 MVR=17.633 MWK=1982.8 MXN=20.126 MXV=2.3133 MYR=4.574 MZN=73.07
  NAD=18.868 NGN=1600.9 NIO=42.081 NOK=11.3 NPR=168.32 NZD=1.9439 OMR=0.43968 PAB=1.1435 PEN=3.8879 PGK=4.917
  PHP=68.61 PKR=320.18 PLN=4.25 PYG=7547.1 QAR=4.1623 RON=5.1 RSD=117.2 RUB=91.48 RWF=1669.5 SAR=4.2881
  SBD=9.2623 SCR=16.238 SDG=686.1 SEK=11 SGD=1.4637 SHP=0.85363 SLE=27.444 SOS=652.94 SRD=43.453 SSP=5260.1
  STN=24.5 SVC=10.006 SYP=131.5 SZL=18.868 THB=36.592 TJS=10.749 TMT=4.0023 TND=3.339 TOP=2.7444 TRY=51.457
  TTD=7.7529 TWD=36.02 TZS=2915.9 UAH=50.085 UGX=4116.6 USD=1.1435 USN=1.1435 UYI=6.9682 UYU=44.596 UYW=24.776
  UZS=13836 VED=548.88 VES=548.88 VND=29960 VUV=137.22 WST=3.1103 XAD=0.27822 XAF=655.957 XAG=0.019058
  XAU=0.0002789 XBA=1 XBB=1 XBC=1 XBD=1 XCD=3.0875 XCG=2.0469 XDR=0.83467 XOF=655.957 XPD=0.00081679
  XPF=119.332 XPT=0.00067265 XSU=0.9148 XTS=1 XUA=0.83467 XXX=1 YER=272.72 ZAR=18.868 ZMW=21.726 ZWG=29.502
`
    .trim()
    .split(/\s+/)
    .map((pair) => pair.split('=') as [string, string]),
)

/**
 * One record for every active code. The same on every call, times included: two processes that fill one store write the
 * same bytes. Codes that nobody pays with are there but not active; the base currency is the default one.
 */
export function sampleCurrencies(): readonly Currency[] {
  return activeCodes.map((code) => ({
    code,
    title: currencyTitle(code),
    rate: sampleRates.get(code) ?? '1',
    sign: currencySign(code),
    is_active: !specialCodes.has(code),
    is_default: code === baseCurrencyCode,
    created_at: sampleRatesAt,
    updated_at: sampleRatesAt,
    rate_at: sampleRatesAt,
  }))
}

/** Whether a record still has its sample rate; pages and tables say so. */
export function hasSampleRate(currency: Pick<Currency, 'code' | 'rate' | 'rate_at'>): boolean {
  return currency.rate_at === sampleRatesAt && currency.rate === sampleRates.get(currency.code)
}

/**
 * Fills the collection if it is empty and says how many records were written: all of them or none. A collection with a
 * single record is left as it is. Rejects with what the store rejects with.
 */
export async function fillWithSamples(store: CurrencyStore): Promise<number> {
  return (await store.update((kept) => (kept.size > 0 ? [] : sampleCurrencies()))).length
}

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
