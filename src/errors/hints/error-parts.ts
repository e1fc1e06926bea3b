// Small readings of a flattened error that hints share.

import { lineText } from '../excerpt-lines.ts'
import type { FlattenedError, Frame } from '../flattened-error.ts'
import type { HintRule } from './hint.ts'

/** Text of an own property: `127.0.0.1` for `"127.0.0.1"`; empty where there is none. */
export function propertyText(error: FlattenedError, name: string): string {
  const value = error.properties.find((property) => property.name === name)?.value ?? ''
  return value.startsWith('"') && value.endsWith('"') && value.length > 1 ? value.slice(1, -1) : value
}

/** Where own code was when it happened: ` at src/cart.ts:12 (\`return cart.total\`)`; empty where no own code was. */
export function ownPlace(error: FlattenedError): string {
  const frame = error.frames.find(({ origin }) => origin === 'own')
  if (frame === undefined) return ''
  const source = sourceLine(frame)
  return ` at ${frame.file}:${frame.line}${source === '' ? '' : ` (\`${source}\`)`}`
}

/** The group of a match, or an empty text. */
export function firstGroup(pattern: RegExp, text: string): string {
  return pattern.exec(text)?.[1] ?? ''
}

/** `host:port` or path of the other end of a system call; what Node put on the error. */
export function peerOf(error: FlattenedError): string {
  const address = propertyText(error, 'address') || propertyText(error, 'hostname')
  const port = propertyText(error, 'port')
  if (address === '') return firstGroup(/ (\S+:\d+)$/, error.message) || 'the other side'
  return port === '' ? address : `${address.includes(':') ? `[${address}]` : address}:${port}`
}

/** Whether the code is one of these. */
export function hasCode(error: FlattenedError, ...codes: readonly string[]): boolean {
  return error.code !== null && codes.includes(error.code)
}

/** How a rule says that the code alone decides. */
export function knownByCode(...codes: readonly string[]): Pick<HintRule, 'asked' | 'matches'> {
  return { asked: { codes }, matches: (error) => hasCode(error, ...codes) }
}

function sourceLine(frame: Frame): string {
  const tokens = frame.excerpt?.lines[frame.line - frame.excerpt.startLine]
  return lineText(tokens ?? [])
    .trim()
    .slice(0, 200)
}
