// An error as plain data, for pages, other formats and profiles.

import type { PlainValue } from '../base/redact/redactor.ts'

/** Highlighted source: kind (`kwd`, `str`, `cmnt`, `num` …; empty for plain) and text. */
export type SourceToken = readonly [kind: string, text: string]

/** When a file changed: after it was first read, or after the process started. */
export type FileChange = 'loaded' | 'started'

/** Lines of source around a frame. */
export interface SourceExcerpt {
  /** From 1. */
  readonly startLine: number
  readonly lines: readonly (readonly SourceToken[])[]
  /** Set if the file has changed since it was first read (`loaded`) or since the process started (`started`): other lines may have run. */
  readonly changedSince?: FileChange
}

/** A frame of a stack trace. */
export interface Frame {
  /** `ProductController.show`; `null` for anonymous functions and the top level of a file. */
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
  /** Source around the line; `null` if it may not be read. */
  readonly excerpt: SourceExcerpt | null
  /** On the last frame of a recursion: what was left out after it. */
  readonly repeats?: FrameRepeats
  /** Variables as they were when its line began, masked. Absent if they were not noted. */
  readonly variables?: readonly (readonly [name: string, text: string])[]
}

/** The last `frames` frames, this one included, follow `times` more times. */
export interface FrameRepeats {
  readonly frames: number
  readonly times: number
}

/** An own property, its value as text: `statusCode` `404`, `headers` `[]`. */
export interface ErrorProperty {
  readonly name: string
  readonly value: string
}

/** An error as plain data. */
export interface FlattenedError {
  /** `NotFoundHttpError`; for other values their type: `string`, `null`, `Object`. */
  readonly className: string
  /** At most 8 KB; a mark says if it was cut. */
  readonly message: string
  readonly code: string | null
  readonly properties: readonly ErrorProperty[]
  readonly frames: readonly Frame[]
  /** False if another value was thrown. */
  readonly isError: boolean
  /** Members of an AggregateError, each with its causes. */
  readonly members: readonly ErrorChain[]
}

/** An error with its causes, outermost first. */
export interface ErrorChain {
  /** Outermost first. The page numbers them `[m/m]` down to `[1/m]`: the innermost is 1. */
  readonly errors: readonly FlattenedError[]
  /** What was left out: `cause is a cycle`, `12 more causes`; `null` if nothing was. */
  readonly cut: string | null
}

/** Masks secrets. Never throws. */
export interface ErrorRedactor {
  /** Masked pairs of a flat list of request headers. */
  headers(raw: readonly string[]): readonly (readonly [string, string])[]
  url(url: string): string
  /** Masked pairs of a query. */
  query(raw: string): readonly (readonly [string, string])[]
  text(text: string, maxLength?: number): string
  /** Plain, bounded, masked data. */
  value(value: unknown): PlainValue
  /** An own property as one line of masked text. */
  property(holder: object, key: string, maxLength: number): string
}
