// Writes the schemas of the profiler's OpenAPI document: run it when a type of its JSON changes.

import { writeFileSync } from 'node:fs'
import { jsonSchemas } from './json-schemas.ts'

/** A line for each schema. */
export function schemaFile(): string {
  const schemas = jsonSchemas('src/profiler/web/openapi/json-types.ts', 'JsonTypes')
  const lines = Object.entries(schemas).map(([name, schema]) => `${JSON.stringify(name)}:${JSON.stringify(schema)}`)
  return `{\n${lines.join(',\n')}\n}\n`
}

if (import.meta.main) writeFileSync('src/profiler/web/openapi/schemas.json', schemaFile())
