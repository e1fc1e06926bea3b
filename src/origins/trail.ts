// What the search for a value passes from step to step, and what it finds.

import type { HttpRequest } from '../base/http/request.ts'
import type { Work } from '../errors/error-view.ts'
import type { Evidence } from './evidence.ts'
import type { Fault } from './fault.ts'
import type { Lookup } from './lookup.ts'
import type { Place } from './project-sources.ts'
import type { SourceTree } from '../errors/source/source-tree.ts'
import type { Node } from '../errors/source/syntax.ts'

/** A property that was read on the way, and where. */
export interface Key {
  readonly name: string
  readonly at: Place
  /** Which element a pattern took out of a list. Default: any. */
  readonly index?: number | undefined
  /** Whether somebody waits for its value. Default false. */
  readonly isAwaited?: boolean
  /** Whether it has a default. Default false. */
  readonly isOptional?: boolean
}

/** Whether nothing was read of the value before the error: `undefined` and `null` have no properties. */
export function mayBeNothing([first]: readonly Key[]): boolean {
  const parent = first?.at.tree.parentOf(first.at.node)
  return first === undefined || (parent?.type === 'OptionalMemberExpression' && parent.optional)
}

/** One value to look at. */
export interface Step extends Place {
  /** Properties of the value that were read, outermost first; `*` is any element. */
  readonly path: readonly Key[]
  /** Whether somebody waits for the value. */
  readonly isAwaited: boolean
  /** Whether the node is the value or one that it can be; `false` if it only has a part in it. */
  readonly isValue: boolean
  readonly depth: number
  /** How sure it is that the error has to do with it, from 0 to 1. */
  readonly weight: number
  /** Who uses it: `src/cart.ts:12`, and as what. */
  readonly usedAt: string
  readonly name: string
  /** Whether nobody asks for the value, because it is a response. Default false. */
  readonly isUnasked?: boolean
  /** Whether it may be another value: that of the other branch, or what was passed in place of a default. Default false. */
  readonly isOneOf?: boolean
  /** Whether the value only came from a method of it, as a row does from a connection. Default false. */
  readonly isTool?: boolean
  /** Where the value was copied without its class. */
  readonly copied: Place | null
}

/** A line that may have to change. What is said of it was checked: docs/project/profiler-internals.md lists what each sentence needs. */
export interface Suspect {
  readonly file: string
  readonly line: number
  readonly why: string
  readonly score: number
}

export interface Definition {
  readonly usedAt: string
  readonly name: string
  readonly note: string
  readonly tree: SourceTree
  readonly node: Node
  readonly marked: readonly number[]
}

/** A step without a question. */
export const blank: Omit<Step, 'tree' | 'node'> = {
  path: [],
  isAwaited: false,
  isValue: true,
  depth: 0,
  weight: 0.9,
  usedAt: '',
  name: '',
  copied: null,
}

export interface TrailOptions {
  readonly fault: Fault
  readonly lookup: Lookup
  readonly env: Readonly<Record<string, string | undefined>>
  /** Queries, outgoing requests and spans so far, in order. */
  readonly work: readonly Work[]
  /** What was noted while the request ran. Default: nothing. */
  readonly evidence: Evidence | undefined
  /** Whether time is left. */
  readonly hasTime: () => boolean
  /** The line that failed, `src/cart.ts:12`. */
  readonly failedAt: string
  /** Pattern of the matched route, `/orders/{id}`. */
  readonly route: string | null
  readonly request: HttpRequest | undefined
}

/** What is needed of a place to name its file. */
export interface FilePlace {
  readonly tree: { readonly file: { readonly path: string } }
}

/** One search. Each part of it knows some kinds of nodes. */
export interface Trail {
  readonly options: TrailOptions
  /** Asks for a value, unless that was asked before. */
  push(step: Step): void
  /** Asks the same of another node of the same file. */
  next(step: Step, node: Node | null | undefined, change?: Partial<Step>): void
  /** Asks for what only has a part in the value; `share` of the weight. Default of the path: none. */
  part(step: Step, node: Node | null | undefined, share: number, path?: readonly Key[]): void
  /** Notes a line that may have to change. `score` is from 0 to 1. */
  suspect(place: FilePlace, at: Node | number, score: number, why: string, step?: Step): void
  /** Notes a definition to show. */
  define(step: Step, note: string, tree: SourceTree, node: Node, marked: readonly number[]): void
}
