// What the document says of one address: parameters, and the response for each status.

import type { AnySchema, JsonSchema, Schema } from './schema.ts'

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
  readonly schema?: AnySchema
}

export interface ResponseContent extends Partial<Content> {
  readonly status: number
  readonly description: string
  /** Names of header fields, by what they say. */
  readonly headers?: Readonly<Record<string, string>>
  /** Event streams: what `data` is, by the name of the event. */
  readonly events?: Readonly<Record<string, AnySchema>>
}

/** A page that sends JSON says what it is; others say what they send instead. */
export type PageOperation<Json> = Pick<Operation, 'summary' | 'parameters'> &
  ([Json] extends [never]
    ? Pick<Operation, 'responses'>
    : {
        readonly json: Schema<Json>
        /** Statuses with this JSON. Default: 200. */
        readonly statuses?: readonly number[]
        /** What else is sent. Default: nothing. */
        readonly also?: readonly ResponseContent[]
      })

export function jsonResponse(status: number, description: string, schema: AnySchema): ResponseContent {
  return { status, description, contentType: 'application/json', schema }
}
