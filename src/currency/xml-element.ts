// Reads XML into a tree whose elements know their line. No entity is resolved, no document type is taken.

import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { RatesFileError } from './rates-file-error.ts'

/** An element, as written. */
export interface XmlElement {
  /** Without its prefix: `Cube`, `Envelope`. */
  readonly name: string
  /** Line that its tag begins on, counted from 1. */
  readonly line: number
  /** Values as written, entities too. */
  readonly attributes: ReadonlyMap<string, string>
  /** In the order of the file. Text and comments are left out. */
  readonly children: readonly XmlElement[]
}

const attributesKey = ':@'
const parser = new XMLParser({
  attributeNamePrefix: '',
  captureMetaData: true,
  ignoreAttributes: false,
  maxNestedTags: 10,
  parseTagValue: false,
  preserveOrder: true,
  processEntities: false,
  removeNSPrefix: true,
  trimValues: false,
})
// The library's type says `Symbol`, the object; what it gives is a symbol.
const metaDataKey = XMLParser.getMetaDataSymbol() as symbol

/** The elements at the root: one, in a file that is right. Throws a RatesFileError for what is no XML. */
export function parseXml(text: string): readonly XmlElement[] {
  const lineAt = lineCounter(text)
  const doctype = text.indexOf('<!DOCTYPE')
  if (doctype >= 0) throw new RatesFileError(lineAt(doctype), 'a document type is not allowed')
  const verdict = XMLValidator.validate(text)
  if (verdict !== true) throw new RatesFileError(verdict.err.line, `the XML is malformed: ${verdict.err.msg}`)
  try {
    return toElements(parser.parse(text), lineAt)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'it cannot be read'
    throw new RatesFileError(1, `the XML is refused: ${reason}`, { cause })
  }
}

function toElements(nodes: unknown, lineAt: (index: number) => number): XmlElement[] {
  if (!Array.isArray(nodes)) return []
  const elements: XmlElement[] = []
  for (const node of nodes as readonly unknown[]) {
    if (typeof node !== 'object' || node === null) continue
    const name = Object.keys(node).find((key) => key !== attributesKey) ?? '#text'
    if (name.startsWith('#') || name.startsWith('?')) continue
    const startIndex = propertyOf(propertyOf(node, metaDataKey), 'startIndex')
    const line = lineAt(typeof startIndex === 'number' ? startIndex : 0)
    const attributes = toAttributes(propertyOf(node, attributesKey))
    elements.push({ name, line, attributes, children: toElements(propertyOf(node, name), lineAt) })
  }
  return elements
}

function toAttributes(given: unknown): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>()
  if (typeof given !== 'object' || given === null) return attributes
  for (const [name, value] of Object.entries(given)) if (typeof value === 'string') attributes.set(name, value)
  return attributes
}

function propertyOf(value: unknown, key: string | symbol): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string | symbol, unknown>)[key]
    : undefined
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
