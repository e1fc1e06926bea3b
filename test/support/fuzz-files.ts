// What comes from files: route patterns of the program itself, `.env`, rates.

import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fc } from './fast-check.ts'
import { loadRuntimeContext, RuntimeContextError } from '../../src/http/config/runtime-context.ts'
import { variables } from '../../src/http/config/variables.ts'
import { parseEcbRates, RatesFileError } from '../../app/currencies/ecb-rates.ts'
import { RouteCollection, text } from '../../src/index.ts'
import { UrlMatcher } from '../../src/routing/url-matcher.ts'
import { makeContext } from '../framework/routing/support/vectors.ts'
import { hostileText, type OpenTarget } from './fuzz-input.ts'
import { removeDirectory } from './temporary-directory.ts'

/** See the name. */
export async function openPatterns(): Promise<OpenTarget> {
  const pattern = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          '/',
          '{',
          '}',
          '{id}',
          '{slug?}',
          '{a<\\d+>}',
          '{rest*}',
          '<',
          '>',
          '(',
          ')',
          '?',
          '*',
          '+',
          '|',
          '[',
          ']',
          '\\',
          '.',
          '%',
          'a',
          '{a}{b}',
        ),
        fc.string({ maxLength: 4 }),
      ),
      { maxLength: 10 },
    )
    .map((parts) => `/${parts.join('')}`)
  const requirement = fc.oneof(
    fc.constantFrom('\\d+', '(a+)+$', '[', '(?=x)', '.*', '(a|aa)*b', '\\p{L}+', 'a{1000}', '^x$'),
    fc.string({ maxLength: 12 }),
  )
  const property = fc.asyncProperty(
    fc.array(fc.tuple(pattern, requirement), { minLength: 1, maxLength: 4 }),
    hostileText,
    async (definitions, asked) => {
      const routes = new RouteCollection()
      for (const [index, [path, rule]] of definitions.entries()) {
        try {
          // Those of a group may name parameters that the path does not have.
          routes.group({ requirements: { id: rule, a: rule } }, (group) =>
            group.add({ name: `r${index}`, path, handler: () => text('') }),
          )
        } catch (error) {
          assert.equal((error as { code?: string }).code, 'ERR_ROUTE_DEFINITION', String(error))
        }
      }
      let matcher: UrlMatcher
      try {
        matcher = new UrlMatcher(routes)
      } catch (error) {
        assert.match(String((error as { code?: string }).code), /^ERR_ROUTE/, String(error))
        return
      }
      for (const sent of [`/${asked}`, `/${'a'.repeat(8000)}!`, ...definitions.map(([defined]) => defined)])
        matcher.find(makeContext({ path: sent }))
    },
  )
  return { property, close: async () => undefined }
}

/** See the name. */
export async function openEnvFiles(): Promise<OpenTarget> {
  const directory = mkdtempSync(join(tmpdir(), 'fanlight-fuzz-'))
  const name = fc.constantFrom(...Object.keys(variables), 'APP_ZQ', '__proto__', 'export PORT')
  const line = fc.oneof(
    fc.tuple(name, hostileText).map(([key, value]) => `${key}=${value}`),
    hostileText,
    fc.constantFrom('"', "'", '`', '#', 'A="unclosed', '='),
  )
  return {
    property: fc.asyncProperty(fc.array(line, { maxLength: 12 }), async (lines) => {
      writeFileSync(join(directory, '.env'), lines.join('\n'))
      try {
        const { context } = loadRuntimeContext({ cwd: directory, env: {} })
        assert.ok(Number.isSafeInteger(context.lock) && context.port >= 0 && context.port <= 65_535)
        assert.ok(Object.isFrozen(context))
      } catch (error) {
        assert.ok(error instanceof RuntimeContextError, String(error))
        assert.doesNotMatch(error.message, /[\r\n\0]/)
      }
    }),
    close: async () => removeDirectory(directory),
  }
}

/** See the name. */
export async function openRates(): Promise<OpenTarget> {
  const valid = `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
<gesmes:subject>Reference rates</gesmes:subject><Cube><Cube time='2026-11-20'><Cube currency='USD' rate='1.08'/><Cube currency='JPY' rate='185.7'/></Cube></Cube></gesmes:Envelope>`
  const piece = fc.oneof(
    hostileText,
    fc.constantFrom(
      '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
      '&x;',
      '<!--',
      ']]>',
      '<![CDATA[',
      '<Cube>',
      '</Cube>',
      "<Cube currency='__proto__' rate='1'/>",
      '<a>'.repeat(5000),
      '&#x0;',
      "rate='1e999'",
    ),
  )
  const damaged = fc
    .tuple(fc.nat(valid.length), fc.nat(40), piece)
    .map(([at, length, inserted]) => valid.slice(0, at) + inserted + valid.slice(at + length))
  const property = fc.asyncProperty(fc.oneof({ weight: 4, arbitrary: damaged }, piece), async (xml) => {
    try {
      const { rates } = parseEcbRates(xml)
      for (const { code } of rates) assert.match(code, /^[A-Z]{3}$/)
    } catch (error) {
      assert.ok(error instanceof RatesFileError, String(error))
    }
  })
  return { property, close: async () => undefined }
}
