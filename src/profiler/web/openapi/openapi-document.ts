// The shape of an OpenAPI 3.1 document, as far as ours goes.

import type { JsonSchema } from './schema.ts'

export interface OpenApiDocument {
  readonly openapi: '3.1.1'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  /** By path, then by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

export interface OperationObject {
  readonly operationId: string
  readonly summary: string
  readonly parameters: readonly JsonSchema[]
  readonly requestBody?: JsonSchema
  /** By status. */
  readonly responses: Readonly<Record<string, JsonSchema>>
}
