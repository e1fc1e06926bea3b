// Reads the daily file of the European Central Bank, `eurofxref-daily.xml`. It either understands all of it or says which
// line it does not; nothing is repaired, nothing is fetched, no entity is resolved.

import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { isRate, ratePattern } from './currency-problem.ts'
import { baseCurrencyCode, currencyCodePattern } from './currency.ts'

/** Characters of a rates file at most. The real one has about 1,700. */
export const maxRatesLength = 1_000_000

/** One rate, and the line it stands on, counted from 1. */
export interface EcbRate {
  readonly code: string
  /** Units for one euro, as written. */
  readonly rate: string
  readonly line: number
}

/** What a daily file says. */
export interface EcbRates {
  /** Day of the rates: `2026-11-20`. */
  readonly date: string
  /** In the order of the file; no code twice, never the euro. */
  readonly rates: readonly EcbRate[]
}

/** A rates file cannot be used. The message names the line and the offending value. */
export class RatesFileError extends Error {
  static {
    Object.defineProperty(this.prototype, 'name', { value: 'RatesFileError', configurable: true, writable: true })
  }

  /** Line counted from 1. */
  readonly line: number

  constructor(line: number, problem: string, options?: ErrorOptions) {
    super(`Line ${line}: ${problem}`, options)
    this.line = line
  }

  /** Stable code to tell errors apart by. */
  get code(): string {
    return 'ERR_RATES_FILE'
  }
}

const parser = new XMLParser({
  attributeNamePrefix: '',
  attributesGroupName: '@',
  captureMetaData: true,
  ignoreAttributes: false,
  isArray: (name, _path, _isLeaf, isAttribute) => name === 'Cube' && !isAttribute,
  maxNestedTags: 10,
  parseTagValue: false,
  processEntities: false,
  removeNSPrefix: true,
  trimValues: false,
})

/** Reads a daily file. Throws a RatesFileError for whatever is not as the bank publishes it. */
export function parseEcbRates(xml: string): EcbRates {
  if (xml.length > maxRatesLength) {
    throw new RatesFileError(1, `the file has ${xml.length} characters; at most ${maxRatesLength} are allowed`)
  }
  const text = xml.replace(/^\uFEFF/, '')
  const lineOf = (element: Element): number => lineAt(text, element.startIndex)
  const days = childrenOf(rootCube(text))
  const day = days[0]
  if (day === undefined) throw new RatesFileError(1, 'there is no <Cube time="…"> with the rates of a day')
  const second = days[1]
  if (second !== undefined) {
    throw new RatesFileError(lineOf(second), 'there is a second day; the daily file with one day is allowed')
  }
  const rates = childrenOf(day).map((element) => readRate(element, lineOf(element)))
  if (rates.length === 0) throw new RatesFileError(lineOf(day), 'the day has no rates')
  refuseDuplicates(rates)
  return { date: readDate(day, lineOf(day)), rates }
}

interface Element {
  readonly attributes: ReadonlyMap<string, string>
  readonly node: object
  readonly startIndex: number
}

function rootCube(text: string): Element {
  const doctype = text.indexOf('<!DOCTYPE')
  if (doctype >= 0) throw new RatesFileError(lineAt(text, doctype), 'a document type is not allowed')
  const document = parseXml(text)
  const roots = Object.keys(document).filter((name) => name !== '?xml' && name !== '#text')
  if (roots.length !== 1 || roots[0] !== 'Envelope') {
    throw new RatesFileError(1, 'the root element is no <gesmes:Envelope>, or not the only one')
  }
  const envelope = toElement(propertyOf(document, 'Envelope'), 0)
  const [cube, another] = childrenOf(envelope)
  if (cube === undefined) throw new RatesFileError(1, 'there is no <Cube> in the envelope')
  if (another !== undefined)
    throw new RatesFileError(lineAt(text, another.startIndex), 'there is a second outer <Cube>')
  return cube
}

function parseXml(text: string): object {
  const verdict = XMLValidator.validate(text)
  if (verdict !== true) throw new RatesFileError(verdict.err.line, `the XML is malformed: ${verdict.err.msg}`)
  try {
    const document: unknown = parser.parse(text)
    return typeof document === 'object' && document !== null ? document : {}
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'it cannot be read'
    throw new RatesFileError(1, `the XML is refused: ${reason}`, { cause })
  }
}

function readRate(element: Element, line: number): EcbRate {
  const code = element.attributes.get('currency')
  const rate = element.attributes.get('rate')
  if (code === undefined) throw new RatesFileError(line, 'a <Cube> of the day has no currency')
  if (!currencyCodePattern.test(code)) {
    throw new RatesFileError(line, `the currency is ${quoted(code)}; three upper-case letters are allowed`)
  }
  if (code === baseCurrencyCode) throw new RatesFileError(line, `${code} is the base; its rate is 1 and cannot be set`)
  if (rate === undefined) throw new RatesFileError(line, `${code} has no rate`)
  if (!isRate(rate)) {
    const problem = ratePattern.test(rate) ? 'a rate above zero is allowed' : 'a decimal as "1.0842" is allowed'
    throw new RatesFileError(line, `the rate of ${code} is ${quoted(rate)}; ${problem}`)
  }
  return { code, rate, line }
}

function readDate(day: Element, line: number): string {
  const date = day.attributes.get('time')
  if (date === undefined) throw new RatesFileError(line, 'the <Cube> of the day has no time')
  const instant = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00.000Z`) : Number.NaN
  // Date.parse takes the 31st of February for a day in March.
  if (Number.isNaN(instant) || !new Date(instant).toISOString().startsWith(date)) {
    throw new RatesFileError(line, `the time is ${quoted(date)}; a day as "2026-11-20" is allowed`)
  }
  return date
}

function refuseDuplicates(rates: readonly EcbRate[]): void {
  const lines = new Map<string, number>()
  for (const { code, line } of rates) {
    const earlier = lines.get(code)
    if (earlier !== undefined) throw new RatesFileError(line, `${quoted(code)} has a rate already, on line ${earlier}`)
    lines.set(code, line)
  }
}

function childrenOf(element: Element): Element[] {
  const children = propertyOf(element.node, 'Cube')
  return Array.isArray(children) ? children.map((child: unknown) => toElement(child, element.startIndex)) : []
}

// The parser gives an element without attributes and children as text; where it stands is lost then.
function toElement(node: unknown, parentIndex: number): Element {
  if (typeof node !== 'object' || node === null) return { attributes: new Map(), node: {}, startIndex: parentIndex }
  const attributes = new Map<string, string>()
  const sent = propertyOf(node, '@')
  if (typeof sent === 'object' && sent !== null) {
    for (const [name, value] of Object.entries(sent)) if (typeof value === 'string') attributes.set(name, value)
  }
  const startIndex = propertyOf(propertyOf(node, metaDataKey), 'startIndex')
  return { attributes, node, startIndex: typeof startIndex === 'number' ? startIndex : parentIndex }
}

// The library's type says `Symbol`, the object; what it gives is a symbol.
const metaDataKey = XMLParser.getMetaDataSymbol() as symbol

function propertyOf(value: unknown, key: string | symbol): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string | symbol, unknown>)[key]
    : undefined
}

function lineAt(text: string, index: number): number {
  let line = 1
  for (let at = 0; at < index; at += 1) {
    const character = text.charCodeAt(at)
    if (character === 10 || (character === 13 && text.charCodeAt(at + 1) !== 10)) line += 1
  }
  return line
}

function quoted(value: string): string {
  return JSON.stringify(value.slice(0, 60))
}
