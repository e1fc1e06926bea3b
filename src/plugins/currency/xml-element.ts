// Reads XML into a tree whose elements know their line. A document type and references (`&#49;`) are refused.

import { parseXml as parse, XmlElement as ParsedElement, XmlError } from '@rgrove/parse-xml'
import { RatesFileError } from './rates-file-error.ts'

/** An element, as written. */
export interface XmlElement {
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
export function parseXml(text: string): XmlElement {
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
