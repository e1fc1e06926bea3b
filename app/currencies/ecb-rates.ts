// Reads the daily file of the European Central Bank, `eurofxref-daily.xml`. It either understands all of it or says which
// line it does not; nothing is repaired, nothing is fetched.

import { baseCurrencyCode, currencyCodePattern, isRate, ratePattern } from './currency.ts'
import { XmlElement as ParsedElement, XmlError, parseXml as parse } from '@rgrove/parse-xml'

/** A rates file cannot be used. The message names the line, counted from 1, and the offending value. */
export class RatesFileError extends Error {
  override readonly name = 'RatesFileError'
  readonly line: number

  constructor(line: number, problem: string, options?: ErrorOptions) {
    super(`Line ${line}: ${problem}`, options)
    this.line = line
  }
}

/** Characters of a rates file at most. The real one has about 1,700. */
export const maxRatesLength = 1_000_000

/** One rate, and its line, counted from 1. */
interface EcbRate {
  readonly code: string
  /** Units for one euro, as written. */
  readonly rate: string
  readonly line: number
}

/** What a daily file says. */
interface EcbRates {
  /** Day of the rates: `2026-11-20`. */
  readonly date: string
  /** In the order of the file; no code twice, never the euro. */
  readonly rates: readonly EcbRate[]
}

/** Reads a daily file. Throws a RatesFileError for whatever is not as the bank publishes it. */
export function parseEcbRates(xml: string): EcbRates {
  if (xml.length > maxRatesLength) {
    throw new RatesFileError(1, `the file has ${xml.length} characters; at most ${maxRatesLength} are allowed`)
  }
  const day = findDay(parseXml(xml.replace(/^\uFEFF/, '')))
  if (day.children.length === 0) throw new RatesFileError(day.line, 'the day has no rates')
  const rates = day.children.map(readRate)
  refuseDuplicates(rates)
  return { date: readDate(day), rates }
}

/** `Envelope` > `Cube` > `Cube` with the time; the rest of the envelope (subject, sender) is ignored. */
function findDay(envelope: XmlElement): XmlElement {
  if (envelope.name !== 'Envelope') throw new RatesFileError(1, 'the root element must be <gesmes:Envelope>')
  const outer = onlyCube(
    envelope.children.filter(({ name }) => name === 'Cube'),
    envelope.line,
    'outer <Cube>',
  )
  return onlyCube(outer.children, outer.line, '<Cube> with the time of a day')
}

function onlyCube(elements: readonly XmlElement[], line: number, what: string): XmlElement {
  const [cube, another] = elements
  if (cube?.name !== 'Cube') throw new RatesFileError(cube?.line ?? line, `there is no ${what}`)
  if (another !== undefined) throw new RatesFileError(another.line, `there is more than one ${what}; one is allowed`)
  return cube
}

function readRate({ name, line, attributes, children }: XmlElement): EcbRate {
  if (name !== 'Cube' || children.length > 0) {
    throw new RatesFileError(line, `there is a <${name}> among the rates; <Cube currency="…" rate="…"/> is allowed`)
  }
  const code = attributes.get('currency')
  const rate = attributes.get('rate')
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

function readDate({ line, attributes }: XmlElement): string {
  const date = attributes.get('time')
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

function quoted(value: string): string {
  return JSON.stringify(value.slice(0, 60))
}

/** An element, as written. */
interface XmlElement {
  /** Without its prefix: `Cube`, `Envelope`. */
  readonly name: string
  /** Line on which its tag begins, counted from 1. */
  readonly line: number
  readonly attributes: ReadonlyMap<string, string>
  /** In the order of the file, without text and comments. */
  readonly children: readonly XmlElement[]
}

const maxDepth = 10

/** The root element. Throws a RatesFileError if the text is not XML. */
function parseXml(text: string): XmlElement {
  const lineAt = lineCounter(text)
  const doctype = text.indexOf('<!DOCTYPE')
  if (doctype >= 0) throw new RatesFileError(lineAt(doctype), 'a document type is not allowed')
  const { root } = parseDocument(text)
  if (root === null) throw new RatesFileError(1, 'the XML is malformed: there is no root element')
  return toElement(root, 1)

  function toElement(element: ParsedElement, depth: number): XmlElement {
    const line = lineAt(element.start)
    if (depth > maxDepth) throw new RatesFileError(line, `elements are nested more than ${maxDepth} deep`)
    const tag = text.slice(element.start, element.children[0]?.start ?? element.end)
    const reference = /&[^;]*;/.exec(tag)?.[0]
    if (reference !== undefined) throw new RatesFileError(line, `the reference "${reference}" is not allowed`)
    return {
      name: element.name.slice(element.name.indexOf(':') + 1),
      line,
      attributes: new Map(Object.entries(element.attributes)),
      children: element.children
        .filter((child) => child instanceof ParsedElement)
        .map((child) => toElement(child, depth + 1)),
    }
  }
}

function parseDocument(text: string): ReturnType<typeof parse> {
  try {
    return parse(text, { includeOffsets: true })
  } catch (cause) {
    if (cause instanceof XmlError) {
      // An excerpt and the place follow.
      const reason = cause.message.replace(/ \(line \d+, column \d+\)[^]*$/, '')
      throw new RatesFileError(cause.line, `the XML is malformed: ${reason}`, { cause })
    }
    // The parser calls itself for each level: thousands of them exhaust the stack.
    throw new RatesFileError(1, 'the XML cannot be read; elements may be nested too deep', { cause })
  }
}

/** Counts lines from where it stopped the last time, as elements are asked for in the order of the text. */
function lineCounter(text: string): (index: number) => number {
  let counted = 0
  let line = 1
  return (index) => {
    if (index < counted) [counted, line] = [0, 1]
    for (; counted < index; counted += 1) {
      const character = text.charCodeAt(counted)
      if (character === 10 || (character === 13 && text.charCodeAt(counted + 1) !== 10)) line += 1
    }
    return line
  }
}
