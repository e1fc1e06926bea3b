// `scripts/openapi.ts`: the committed schemas are those of the types.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { schemaFile } from '../../scripts/openapi.ts'

describe('the schemas of the OpenAPI document', () => {
  it('are those of the types', () => {
    const written = readFileSync('src/profiler/web/openapi/schemas.json', 'utf8')
    assert.equal(written, schemaFile(), 'a type has changed: run `node scripts/openapi.ts`')
  })
})
