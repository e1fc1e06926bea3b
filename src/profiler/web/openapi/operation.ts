// What the document says of one address: parameters, and the response for each status.

import type { JsonTypes } from './json-types.ts'
import { schemaOf, type JsonSchema } from './schema.ts'

export interface Operation {
  /** One sentence. */
  readonly summary: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Content
  readonly responses: readonly ResponseContent[]
}

export interface Parameter {
  readonly name: string
  /** Default `query`. */
  readonly in?: 'query' | 'path' | 'header'
  /** What it may be: `404, 4xx, or 0 (no response)`. */
  readonly description: string
  readonly isRequired?: true
  readonly schema: JsonSchema
}

export interface Content {
  readonly contentType: string
  /** Default: not described any further. */
  readonly schema?: JsonSchema
}

export interface ResponseContent extends Partial<Content> {
  readonly status: number
  readonly description: string
  /** Names of header fields, by what they say. */
  readonly headers?: Readonly<Record<string, string>>
  /** Event streams: what `data` is, by the name of the event. */
  readonly events?: Readonly<Record<string, JsonSchema>>
}

/** What the document says of a page beside its JSON. */
export interface PageOperation extends Pick<Operation, 'summary' | 'parameters'> {
  /** Statuses with the JSON of the page. Default: 200. */
  readonly statuses?: readonly number[]
  /** What else is sent. Default: nothing. */
  readonly responses?: readonly ResponseContent[]
}

/** JSON of one of these types. */
export function jsonResponse(
  status: number,
  description: string,
  ...names: readonly (keyof JsonTypes)[]
): ResponseContent {
  const [only = {}, ...others] = names.map(schemaOf)
  const schema = others.length === 0 ? only : { anyOf: [only, ...others] }
  return { status, description, contentType: 'application/json', schema }
}
