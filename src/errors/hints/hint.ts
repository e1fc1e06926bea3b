// What explains a known error, and the readings of an error that hints share.

import type { Exchange } from '../../http/kernel/exchange.ts'
import { lineText } from '../trace-lines.ts'
import type { FlattenedError } from '../flattened-error.ts'

/** An explanation, for people: what happened, and what to do. */
export interface Hint {
  /** One line: `Nothing is listening on 127.0.0.1:5432`. */
  readonly title: string
  /** A few sentences of plain text. */
  readonly text: string
  /** First own frame of the error that it explains: `src/cart.ts:12`. Default: as it was thrown. */
  readonly place?: string | undefined
}

/** Knows one kind of error. `Asked` is the failed request. */
export interface HintRule<Asked = Exchange> {
  /** Stable name: `connection-refused`. */
  readonly name: string
  /** Name of a rule that says less about the same error and is then left out. Default: none. */
  readonly replaces?: string
  /** Whether this error is of the kind. `exchange` is the failed request. It may throw: that counts as no. */
  matches(error: FlattenedError, exchange: Asked): boolean
  /** Says what happened. Asked only when `matches` said yes. `inner` is the error's cause, if it has one. */
  explain(error: FlattenedError, exchange: Asked, inner?: FlattenedError): Hint
}

/** A rule of this folder: also asked about errors outside every request. */
export type BuiltInHint = HintRule<Exchange | undefined>

type Explain = BuiltInHint['explain']

/** What a hint says: of a text, `{at}` is the first own frame, `{peer}` the other end of a system call. */
type Said = string | ((...asked: Parameters<Explain>) => string)

/** A hint as data. It knows an error by one of its codes, by what is named of its message and its class, or as `matches` says. */
type HintRow = Partial<Pick<BuiltInHint, 'replaces' | 'matches'>> & {
  readonly codes?: readonly string[]
  readonly message?: RegExp
  readonly className?: string
} & (Pick<BuiltInHint, 'explain'> | { readonly title: Said; readonly text: Said })

export type HintRows = Readonly<Record<string, HintRow>>

export function rulesOf(rows: HintRows): readonly BuiltInHint[] {
  return Object.entries(rows).map(([name, row]) => ruleOf(name, row))
}

function ruleOf(name: string, row: HintRow): BuiltInHint {
  return {
    name,
    ...(row.replaces !== undefined && { replaces: row.replaces }),
    matches: row.matches ?? ((error) => isKnown(row, error)),
    explain:
      'explain' in row
        ? row.explain
        : (...asked) => ({ title: textOf(row.title, asked), text: textOf(row.text, asked) }),
  }
}

function isKnown({ codes = [], message, className }: HintRow, error: FlattenedError): boolean {
  if (error.code !== null && codes.includes(error.code)) return true
  if (message === undefined && className === undefined) return false
  return (className ?? error.className) === error.className && message?.test(error.message) !== false
}

function textOf(said: Said, asked: Parameters<Explain>): string {
  if (typeof said !== 'string') return said(...asked)
  const [error] = asked
  return said.replaceAll(/\{(?:at|peer)\}/g, (place) => (place === '{at}' ? ownPlace(error) : peerOf(error)))
}

/** Text of an own property: `127.0.0.1` for `"127.0.0.1"`; empty without one. */
export function propertyText(error: FlattenedError, name: string): string {
  const value = error.properties.find((property) => property.name === name)?.value ?? ''
  return value.startsWith('"') && value.endsWith('"') && value.length > 1 ? value.slice(1, -1) : value
}

/** The first own frame: `src/cart.ts:12`. */
export function firstPlace({ frames }: FlattenedError): string | undefined {
  const frame = frames.find(({ origin }) => origin === 'own')
  return frame && `${frame.file}:${frame.line}`
}

/** The same behind another text: ` at src/cart.ts:12`; empty without one. */
export function ownPlace(error: FlattenedError): string {
  const place = firstPlace(error)
  return place === undefined ? '' : ` at ${place}`
}

/**
 * As `ownPlace`, without the frames that both errors went through: the caller of a shared helper, not the helper. With its source, which
 * is elsewhere on the page: ` at src/cart.ts:12 (\`return cart.total\`)`.
 */
export function callerPlace(error: FlattenedError, other: FlattenedError): string {
  const seen = new Set(other.frames.map(({ file, line, column }) => `${file}:${line}:${column}`))
  const own = error.frames.filter(({ origin }) => origin === 'own')
  const frame = own.find(({ file, line, column }) => !seen.has(`${file}:${line}:${column}`)) ?? own[0]
  if (frame === undefined) return ''
  const tokens = frame.excerpt?.lines[frame.line - frame.excerpt.startLine] ?? []
  const source = lineText(tokens).trim().slice(0, 200)
  return ` at ${frame.file}:${frame.line}${source === '' ? '' : ` (\`${source}\`)`}`
}

/** The group of a match, or an empty text. */
export function firstGroup(pattern: RegExp, text: string): string {
  return pattern.exec(text)?.[1] ?? ''
}

/** `host:port` or path of the other end of a system call, as Node put it on the error. */
export function peerOf(error: FlattenedError): string {
  const address = propertyText(error, 'address') || propertyText(error, 'hostname')
  const port = propertyText(error, 'port')
  if (address === '') return firstGroup(/ (\S+:\d+)$/, error.message) || 'the server'
  return port === '' ? address : `${address.includes(':') ? `[${address}]` : address}:${port}`
}
