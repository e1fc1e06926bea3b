// What a part of a profile says, without a form: web/draw-blocks.ts draws it as HTML, sections.ts writes it as text.

import { isList } from '../../base/members.ts'
import type { Tone } from '../../base/html/components.ts'
import type { SourceToken } from '../../errors/flattened-error.ts'
import type { PlannedQuery } from '../outgoing/query-plans.ts'
import type { DumpedValue } from '../../base/redact/redactor.ts'

/** A piece of a line. A string is in our own words; what was recorded says so. A profile from elsewhere may give `undefined`, which is left out as `null` is. */
export type Inline =
  | string
  | null
  | { readonly recorded: string }
  | { readonly code: string }
  /** Keys to press: `Ctrl K`. */
  | { readonly keys: string }
  /** Text of a query to a database; on a page in its colours, and cut. */
  | { readonly query: string; readonly system: string }
  /** What a variable was: equal ones can be followed. */
  | { readonly seen: string }
  | { readonly strong: string }
  | { readonly mark: string; readonly tone?: Tone }
  /** Opens in the editor: `src/cart.ts:12`. */
  | { readonly place: string }
  /** Token of a profile. Default of `text`, or of `subject`, which is recorded: the token. `at`: an id on the page. */
  | {
      readonly profile: string
      readonly panel?: string
      readonly at?: string
      readonly text?: string
      readonly subject?: string
    }
  | Explanation
  /** A name that an address outside of the profiler is known for; `null`: none is. */
  | { readonly linked: string; readonly to: string | null }
  /** Id of a trace; leads to the profiles of it. */
  | { readonly trace: string }
  /** An instant, milliseconds since 1970. */
  | { readonly time: number }
  | { readonly value: DumpedValue }
  /** Below the line, recorded. */
  | { readonly failure: string }
  | { readonly warning: string }
  /** Quieter than the rest. */
  | { readonly quiet: Line }
  | { readonly fold: string; readonly items: readonly Line[] }
  | Detail
  | PageLink
  /** A file below the profile, `mail/0.eml`, to be saved; only on its page. */
  | { readonly file: string; readonly text: string }
  /** Shares of a whole, the greatest first, and counts over time: for the eye only. */
  | { readonly bar: readonly number[] }
  | { readonly strip: readonly number[] }
  | Lane

/** Asks for the plan of a query, by its index in a profile, where there is a connection to ask; only on pages. */
export interface Explanation {
  readonly explains: PlannedQuery
  readonly token: string
  readonly index: number
}

/** When it was, from 0 to 1; `series`: what it belongs to, by its colour. For the eye only. */
export interface Lane {
  readonly lane: readonly (readonly [from: number, to: number])[]
  readonly series: number
}

/** Below the cell it is in, quieter; a fact or a column of its own elsewhere. */
export interface Detail {
  readonly detail: Line
  readonly name: string
  /** Whether the name stands in front of it on a page, too. Default: no. */
  readonly isNamed: boolean
  /** Whether a page leaves it out: it leads there by a link. Default: no. */
  readonly isOffPage?: boolean
}

/** Leads to a page of the profiler, with the filters of this one: `errors`; empty for the list. */
export interface PageLink {
  readonly page: string
  /** Whether it leaves the filters out. Default: no. */
  readonly isBare?: boolean
  readonly with: Readonly<Record<string, string>>
  /** Recorded. */
  readonly text: string
}

export type Fact = readonly [name: Inline, value: Line]

/** Those that are `null` are left out. */
export type Blocks = readonly (Block | null)[]

export type Line = Inline | readonly Inline[]

/** When the steps of a call were reached: the start in milliseconds since the request began, the rest since the start. */
export interface CallTimes {
  readonly startMs: number
  readonly waitMs?: number | null
  readonly firstByteMs?: number | null
  /** `null` for a call that has not ended. */
  readonly durationMs: number | null
}

export type Block =
  | { readonly kind: 'heading'; readonly text: string }
  /** Nothing of a kind, in a sentence. */
  | { readonly kind: 'empty'; readonly text: string }
  | { readonly kind: 'text'; readonly text: Line }
  | { readonly kind: 'list'; readonly items: readonly Line[] }
  | { readonly kind: 'note'; readonly text: Line; readonly tone?: Tone }
  | { readonly kind: 'figures'; readonly rows: readonly (readonly [value: string, label: string])[] }
  /** `isProse`: their values are sentences. Default: they are what was recorded. */
  | { readonly kind: 'facts'; readonly name: string; readonly rows: readonly Fact[]; readonly isProse?: boolean }
  | { readonly kind: 'fold'; readonly title: string; readonly block: Block }
  | Table
  | CodeLines
  | Card
  /** Beside each other, where there is room. */
  | { readonly kind: 'columns'; readonly parts: readonly Blocks[] }
  | {
      readonly kind: 'source'
      readonly title: string
      readonly text: string
      readonly isCut?: boolean
      readonly isOpen?: boolean
    }
  /** Folded, if it has a title. */
  | { readonly kind: 'value'; readonly title: string | null; readonly value: DumpedValue; readonly isOpen?: boolean }
  /** A page below the profile, `mail/0`, in a frame; `source` stands for it elsewhere. */
  | { readonly kind: 'frame'; readonly title: string; readonly path: string; readonly source: Block | null }

export interface Table {
  readonly kind: 'table'
  readonly name: string
  readonly noun: string
  readonly heads: readonly Head[]
  /** `depth`: inside of which rows above it. */
  readonly rows: readonly { readonly cells: readonly Line[]; readonly depth?: number; readonly tone?: Tone }[]
  /** Whether the first cell names the row, and every other one has its head in front where there is no room for columns. Default: no. */
  readonly isWide?: boolean
}

/** Lines of the application's code as they ran. */
export interface CodeLines {
  readonly kind: 'lines'
  readonly rows: readonly CodeLine[]
}

export interface CodeLine {
  readonly line: number
  readonly code: string
  /** The same in its colours. Default: it has none. */
  readonly tokens?: readonly SourceToken[]
  readonly isSkipped: boolean
  /** Whether it is the line that failed. Default: no. */
  readonly isMarked?: boolean
  /** What it gave, and what happened at it. */
  readonly said: readonly Inline[]
}

export type Head = string | { readonly number: string } | SortHead

/** `sort`: what the page can be sorted by; `isSorted`: it is. */
export interface SortHead {
  readonly number: string
  readonly sort: string
  readonly isSorted: boolean
  readonly hint?: string | undefined
}

/** One of several things, under its name. */
export interface Card {
  readonly kind: 'card'
  readonly head: Line
  readonly name: Inline
  readonly time: string | null
  readonly times?: CallTimes
  readonly facts: readonly Line[]
  readonly blocks: Blocks
  /** Whether its blocks are unfolded. Default: they do not fold. */
  readonly isOpen?: boolean
}

/** A line that is left out where there is nothing to say. */
type Said = Line | false

export function heading(text: string): Block {
  return { kind: 'heading', text }
}

export function empty(text: string): Block {
  return { kind: 'empty', text }
}

/** Small and quiet. */
export function text(said: Said): Block | null {
  return said === false || !saysSomething(said) ? null : { kind: 'text', text: said }
}

export function note(said: Said, tone: Tone = 'warning'): Block | null {
  return said === false ? null : { kind: 'note', text: said, tone }
}

export function failureNote(error: string | null): Block | null {
  return note(error !== null && { recorded: error }, 'error')
}

export function facts(name: string, rows: readonly Fact[]): Block {
  return { kind: 'facts', name, rows }
}

/** Without columns that say nothing; nothing for no rows. `name` is for who hears it, `noun` what one row is about. */
export function table(
  name: string,
  noun: string,
  heads: Table['heads'],
  rows: readonly (readonly Line[])[],
): Block | null {
  return rows.length === 0
    ? null
    : withoutBlanks({ kind: 'table', name, noun, heads, rows: rows.map((cells) => ({ cells })) })
}

/** The same where the first cell names the row. */
export function wideTable(name: string, noun: string, heads: Table['heads'], rows: Table['rows']): Block {
  return withoutBlanks({ kind: 'table', name, noun, heads, rows, isWide: true })
}

/** The head of a column that the page can be sorted by, in the order `sort` now. */
export function sortable(
  order: string,
  { title, hint }: { readonly title: string; readonly hint?: string },
  sort: string | null,
): SortHead {
  return { number: title, sort: order, isSorted: order === sort, hint }
}

function withoutBlanks({ heads, rows, ...table }: Table): Table {
  const said = heads.map((_, index) => rows.some(({ cells }) => saysSomething(cells[index] ?? null)))
  const kept = <Item>(list: readonly Item[]): readonly Item[] => list.filter((_, index) => said[index])
  return { ...table, heads: kept(heads), rows: rows.map((row) => ({ ...row, cells: kept(row.cells) })) }
}

function saysSomething(line: Line): boolean {
  return isList(line) ? line.some(saysSomething) : line !== null && line !== ''
}

/** Folded under its title; nothing for no value. */
export function value(title: string, dumped: DumpedValue | null, isOpen = false): Block | null {
  return dumped && { kind: 'value', title, value: dumped, isOpen }
}

/** A text that was recorded; nothing for none. */
export function recorded(said: string | null): Inline {
  return said === null || said === '' ? null : { recorded: said }
}

/** Nothing where there is nothing to say. */
export function detail(name: string, said: Line, isNamed = false): Inline {
  return said === null || (Array.isArray(said) && said.length === 0) ? null : { detail: said, name, isNamed }
}

/** What names a thing where there are no links. */
export function idOf(id: string): Inline {
  return { detail: { code: id }, name: 'id', isNamed: true, isOffPage: true }
}

/** What a page shows by its form. */
export function offPage(said: Line): Inline {
  return { detail: said, name: '', isNamed: false, isOffPage: true }
}

/** A place in the source; nothing where it is not known. */
export function place(callSite: string | null): Inline {
  return callSite === null ? null : { place: callSite }
}
