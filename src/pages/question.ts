// A question about what was recorded, described once: its page, JSON, Markdown, command and response to agents are made from it.

import type { Tone } from '../base/html/components.ts'
import { nameError } from '../base/http/http-error.ts'
import type { SettingPrefix } from '../http/config/variable.ts'
import type { ReadDatabase } from '../observe/outgoing/open-databases.ts'
import type { Blocks, PageLink } from '../observe/blocks/blocks.ts'
import type { ErrorMarkStore } from '../profiles/set-by-people.ts'
import type { LockView } from '../profiles/lock.ts'
import type { OpenExchangeList } from '../http/kernel/open-exchanges.ts'
import type { StatusSource } from '../profiles/sampling/recorder-status.ts'
import type { MissingParts, ProfileReader } from '../profiles/profile-store.ts'
import type { ProfileFilter } from '../profiles/query/filters.ts'
import type { RouteTableSource, TrialBase } from '../profiles/query/route-table.ts'

/** `?state=open`, `--state open`, and `state` of a tool. */
export interface Parameter<Value = unknown> {
  /** For people: `State`. */
  readonly label: string
  /** For the help of the command. */
  readonly help: string
  /** What it should be, and what is allowed: `"7" is not a trace ID. Use 32 hex digits.` Default: `valid`. */
  readonly what?: string
  readonly use: string
  /** Whether the command takes it as its argument, which it needs. Default: it is an option. */
  readonly isArgument?: boolean
  /** A field on the page. Default: none. */
  readonly field?: {
    readonly label: string
    readonly hint: string
    /** Whether it takes a word only. Default: no. */
    readonly isShort?: boolean
    /** Sends it, with the fields before it. Default: that of a later field. */
    readonly button?: string
  }
  /** `undefined` for a text that is not allowed. */
  readonly read: (text: string) => Value | undefined
  /** Where nothing is given. */
  readonly default: Value
  /** A button on the page for each value; an empty name leads to all. Default: no buttons. */
  readonly buttons?: Readonly<Record<string, string>>
  /** Whether the buttons mean anything beside the other values. Default: always. */
  readonly isOffered?: (values: Readonly<Record<string, unknown>>) => boolean
}

export type Parameters = Readonly<Record<string, Parameter>>
export type ValuesOf<Given extends Parameters> = {
  readonly [Name in keyof Given]: Given[Name] extends Parameter<infer Value> ? Value : never
}

/** Values of parameters, as they are typed. */
type Texts = Readonly<Record<string, string>>

export interface QuestionSources {
  readonly profiles: Pick<ProfileReader, 'find' | 'group' | 'gather' | 'read' | 'stats'>
  /** The requests that have not ended, of this process. Default: not known. */
  readonly openRequests?: OpenExchangeList
  /** What people say of errors. Default: nothing. */
  readonly errorMarks?: Pick<ErrorMarkStore, 'read'>
  readonly lock?: LockView | undefined
  readonly status?: StatusSource
  /** Folder of the application. Default: not known. */
  readonly projectRoot?: string
  /** Default: not known. */
  readonly routeTable?: RouteTableSource
  /** Names of the routes that requests matched since the start, behind the method: `GET orders`. Default: not known. */
  readonly matchedRoutes?: ReadonlySet<string>
  /** Name of this application, to tell others of the store. Default: not known. */
  readonly service?: string | null
  readonly profilerPath?: string
  /** Reads rows of the application's databases. Default: nobody may. */
  readonly readDatabase?: ReadDatabase
}

/** What was asked for, beside the values. */
export interface Asked<Given extends Parameters = Parameters> {
  readonly values: ValuesOf<Given>
  /** Empty if nothing is narrowed. */
  readonly filter: ProfileFilter
  /** How many rows there may be. Default: as many as were found. */
  readonly limit?: number | undefined
  /** How names of settings begin. Default: not known. */
  readonly settingPrefix?: SettingPrefix | undefined
  /** Where its page was asked for. Default: it was not. */
  readonly base?: TrialBase
}

/** What was found; the JSON of the question. */
interface Found {
  readonly missing?: MissingParts | undefined
}

/** Why there is nothing to show, a sentence. */
export class QuestionError extends Error {
  readonly status: 400 | 404 | 503

  constructor(message: string, status: QuestionError['status'], options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}
nameError(QuestionError)

export interface Question<Given extends Parameters = Parameters, Of extends object = Found> {
  /** Of its page: `/_profiler/errors`. */
  readonly name: string
  /** In the header of every page. */
  readonly label: string
  readonly title: (asked: Asked<Given>) => string
  /** Recorded: what its page is headed with. Default: the title. */
  readonly heading?: (found: Of) => string | undefined
  /** The words of its command. Default: it has none. */
  readonly command?: string
  /** Whether there is something to see, for a link under *More*. Default: always. */
  readonly isThere?: ((sources: QuestionSources) => boolean | Promise<boolean>) | undefined
  /** For the help: what it gives. */
  readonly about: string
  /** Whether the filters of the list narrow it. Default: no. */
  readonly isFiltered?: boolean
  /** Whether its filters are folded away until one is set. Default: on narrow windows only. */
  readonly foldsFilters?: boolean
  /** What the search of the filters looks at here, for people. Default: what it looks at in the list. */
  readonly searches?: string
  /** Rows of its page where the address says no other limit. Default: 25. */
  readonly rows?: number
  /** Whether its page has a button for each of the last minute, ten minutes and hour. Default: no. */
  readonly hasWindows?: boolean
  /** Whether it is about one thing: its page needs neither filters nor buttons then. Default: never. */
  readonly isOfOne?: (asked: Asked<Given>) => boolean
  /** Whether its page asks again by itself. Default: no. */
  readonly isRenewed?: boolean | 'with new profiles'
  readonly parameters: Given
  /** What the tool `find` calls it, and what it is asked for then. Default: the tool does not list it. */
  readonly listed?: Readonly<Record<string, { readonly fixed?: Texts; readonly usual?: Texts }>>
  /** Pages that lead on, with the filters of this one. */
  readonly links?: (asked: Asked<Given>, found: Of) => readonly PageLink[]
  /** An option with which the command fails, and why it does. Default: there is none. */
  readonly fails?: {
    readonly option: string
    readonly help: string
    readonly problem: (found: Of) => string | undefined
  }
  /** `undefined` where there is nothing to ask. Rejects when the store fails, and with a QuestionError. */
  readonly ask: (sources: QuestionSources, asked: Asked<Given>) => Promise<Of | undefined>
  /** Colour of its page. Default: none. */
  readonly tone?: (found: Of) => Tone
  readonly draw: (found: Of, asked: Asked<Given>) => Blocks
}

/** Whoever asks hands back what the same question has read and found, and need not know their types. */
export function question<Given extends Parameters, Of extends object>(given: Question<Given, Of>): Question {
  return given as unknown as Question
}

/** A parameter that is not one of several names. */
export function parameter<Value>(given: Parameter<Value>): Parameter<Value> {
  return given
}

/** One of several names. */
export function oneOf<const Name extends string, Default extends Name | undefined>(
  names: readonly Name[],
  usual: Default,
  given: Pick<Parameter, 'label' | 'help' | 'buttons'>,
): Parameter<Name | Default> {
  return { ...given, default: usual, use: names.join(', '), read: (text) => names.find((name) => name === text) }
}

/** The values of what was typed; `problem` is told what cannot be used. */
export function readTexts(
  parameters: Parameters,
  typed: ReadonlyMap<string, string>,
  problem: (name: string, text: string, parameter: Parameter) => void,
): Asked['values'] {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => {
      const text = typed.get(name)
      const value = text === undefined ? parameter.default : parameter.read(text)
      if (text !== undefined && value === undefined) problem(name, text, parameter)
      return [name, value ?? parameter.default]
    }),
  )
}

export function isNarrowing(filter: ProfileFilter): boolean {
  return Object.keys(filter).length > 0
}
