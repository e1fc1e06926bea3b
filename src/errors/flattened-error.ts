// An error as plain data, for pages, renderers and profiles; and the redactor it is made with.

import type { PlainValue } from '../framework/redact/plain-value.ts'

/** A piece of highlighted source: kind (`kwd`, `str`, `cmnt`, `num` …; empty for plain) and text. */
export type SourceToken = readonly [kind: string, text: string]

/** Since when a file is another one than the one that runs: since it was first read, since the process started. */
export type FileChange = 'loaded' | 'started'

/** Some lines of source around a frame's line. */
export interface SourceExcerpt {
  /** Number of the first line of the excerpt, from 1. */
  readonly startLine: number
  readonly lines: readonly (readonly SourceToken[])[]
  /**
   * The file is no longer what it was when it was first read (`loaded`) or when the process started (`started`): the lines may
   * not be those that ran. Absent where it is.
   */
  readonly changedSince?: FileChange
}

/** One call of a trace. */
export interface Frame {
  /** `ProductController.show`, or `null` for a function without a name and for the top level of a file. */
  readonly functionName: string | null
  /**
   * Relative to the project root for own code, `node_modules/…` for dependencies, `fanlight/…` for this library, `node:…` for
   * Node; never a home path.
   */
  readonly file: string
  readonly line: number
  readonly column: number
  readonly origin: 'own' | 'dependency' | 'node'
  readonly isAsync: boolean
  /** Source around the line, where it may be read; `null` elsewhere. */
  readonly excerpt: SourceExcerpt | null
}

/** An own property of an error, its value already as text: `statusCode` `404`, `headers` `[]`. */
export interface ErrorProperty {
  readonly name: string
  readonly value: string
}

/** One error of a chain. */
export interface FlattenedError {
  /** `NotFoundHttpError`; for what is no Error its type: `string`, `null`, `Object`. */
  readonly className: string
  /** At most 8 KB, with a mark where it was cut. */
  readonly message: string
  readonly code: string | null
  readonly properties: readonly ErrorProperty[]
  readonly frames: readonly Frame[]
  /** Whether it was an Error, or some other value that was thrown. */
  readonly isError: boolean
  /** Members of an AggregateError, each a chain of its own. */
  readonly members: readonly ErrorChain[]
}

/** An error and its causes. */
export interface ErrorChain {
  /** Outermost first. The page numbers them `[m/m]` down to `[1/m]`: the innermost is 1. */
  readonly errors: readonly FlattenedError[]
  /** What was left out, for people: `cause is a cycle`, `12 more causes`; `null` when all is there. */
  readonly cut: string | null
}

/** Masks secrets by key, by place and by look. Never throws. */
export interface ErrorRedactor {
  /** Request headers, flat, into pairs with masked values. */
  headers(raw: readonly string[]): readonly (readonly [string, string])[]
  /** A URL with userinfo, fragment and secret query values masked. */
  url(url: string): string
  /** Query parameters into pairs with masked values. */
  query(raw: string): readonly (readonly [string, string])[]
  /** Free text with tokens and keys masked that show by their look. */
  text(text: string, maxLength?: number): string
  /** Plain, bounded data with secret keys masked. */
  value(value: unknown): PlainValue
  /** An own property as one line of text, masked by its name or in part. */
  property(holder: object, key: string, maxLength: number): string
}
