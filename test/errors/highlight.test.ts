// Source coloured by the rules of the highlighter, joined: the same tokens as the highlighter itself finds.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import js from '@speed-highlight/core/languages/js.js'
import jsdoc from '@speed-highlight/core/languages/jsdoc.js'
import regex from '@speed-highlight/core/languages/regex.js'
import todo from '@speed-highlight/core/languages/todo.js'
import ts from '@speed-highlight/core/languages/ts.js'
import { tokenizeWith, type ShjLanguageData } from '@speed-highlight/core/tokenize'
import { fc } from '../support/fast-check.ts'
import { highlight } from '../../src/errors/highlight.ts'

const languages = { js, ts, jsdoc, regex, todo } as Record<string, ShjLanguageData>

/** Tokens in a row, neighbours of one kind joined, line breaks taken out. */
function joined(tokens: readonly (readonly [kind: string, text: string])[]): [string, string][] {
  const result: [string, string][] = []
  for (const [type, written] of tokens) {
    // Operators are plain here.
    const kind = type === 'oper' ? '' : type
    const text = written.replaceAll('\n', '')
    const last = result.at(-1)
    if (text === '') continue
    if (last !== undefined && last[0] === kind) last[1] += text
    else result.push([kind, text])
  }
  return result
}

function byLibrary(code: string, language: string): [string, string][] {
  const tokens: [string, string][] = []
  tokenizeWith(code, languages[language] ?? [], (text, kind) => tokens.push([kind ?? '', text]), { languages })
  return joined(tokens)
}

const folder = `${import.meta.dirname}/../../src/errors`

describe('highlight', () => {
  for (const language of ['ts', 'js']) {
    it(`finds the tokens of the highlighter in real source, as ${language}`, () => {
      for (const name of readdirSync(folder).filter((file) => file.endsWith('.ts'))) {
        const lines = readFileSync(`${folder}/${name}`, 'utf8').split('\n').slice(0, 60)
        assert.deepEqual(joined(highlight(lines, language).flat()), byLibrary(lines.join('\n'), language), name)
      }
    })
  }

  it('finds them in whatever is written', () => {
    const words = [
      'a',
      'get',
      'type',
      'true',
      'Cart',
      'NAME',
      'null',
      'string',
      'readonly',
      '_x',
      '$y',
      'a$b',
      'é',
      '7',
      '.5',
      'e5',
    ]
    const marks = [
      '.',
      '..',
      '?.',
      ':',
      '::',
      '=',
      '==',
      '=>',
      '(',
      ')',
      '{',
      '}',
      '[',
      ']',
      ',',
      ';',
      '<',
      '>',
      '!',
      '#',
      '@',
      '\\',
    ]
    const other = [
      '/',
      '//',
      '/*',
      '*/',
      '/**',
      '"',
      "'",
      '`',
      '${',
      '\n',
      ' ',
      '  ',
      '\t',
      '\u00a0',
      'TODO',
      'function',
      '() =>',
      '/a/g',
    ]
    const code = fc.array(fc.constantFrom(...words, ...marks, ...other, ' ', ' ', ' '), { maxLength: 30 })
    const property = fc.property(code, fc.constantFrom('ts', 'js'), (parts, language) => {
      const lines = parts.join('').split('\n')
      assert.deepEqual(joined(highlight(lines, language).flat()), byLibrary(lines.join('\n'), language))
    })
    fc.assert(property, { numRuns: 200 })
  })

  it('finds them in source that breaks off', () => {
    const pieces = [
      "const a = 'b",
      'x = `a ${b',
      '/* c',
      '/** @d {e',
      "a['b']: c",
      'return /a[/]b/g.test(c)',
      '0x1f + .5e-3',
      '"',
    ]
    for (const code of pieces) assert.deepEqual(joined(highlight([code], 'ts').flat()), byLibrary(code, 'ts'), code)
  })
})
