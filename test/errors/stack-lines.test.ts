// The text of a stack, line by line.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fc } from '../support/fast-check.ts'
import { parseStackLine, stackCalls, type StackBounds, type StackLine } from '../../src/errors/stack-frames.ts'

describe('parseStackLine', () => {
  type Row = readonly [
    line: string,
    functionName: string | null,
    location: string,
    line: number,
    column: number,
    isAsync: boolean,
  ]
  const rows: readonly Row[] = [
    ['    at show (/app/src/a.ts:3:9)', 'show', '/app/src/a.ts', 3, 9, false],
    ['    at show (file:///app/src/a.ts:3:9)', 'show', 'file:///app/src/a.ts', 3, 9, false],
    ['    at /app/src/a.ts:3:9', null, '/app/src/a.ts', 3, 9, false],
    ['    at file:///app/src/a.ts:3:9', null, 'file:///app/src/a.ts', 3, 9, false],
    ['    at async show (/app/a.ts:3:9)', 'show', '/app/a.ts', 3, 9, true],
    ['    at async file:///app/a.ts:3:9', null, 'file:///app/a.ts', 3, 9, true],
    ['    at async Promise.all (index 0)', 'Promise.all', 'index 0', 0, 0, true],
    ['    at new Product (/app/a.ts:3:9)', 'new Product', '/app/a.ts', 3, 9, false],
    ['    at Object.<anonymous> (/app/a.js:1:7)', null, '/app/a.js', 1, 7, false],
    ['    at Product.get price [as price] (/app/a.ts:3:9)', 'Product.get price [as price]', '/app/a.ts', 3, 9, false],
    ['    at Map.show [as a (b)] (/app/a.ts:3:9)', 'Map.show [as a (b)]', '/app/a.ts', 3, 9, false],
    ['    at Array.map (<anonymous>)', 'Array.map', '<anonymous>', 0, 0, false],
    ['    at <anonymous>', null, '<anonymous>', 0, 0, false],
    ['    at eval (eval at run (/app/a.js:5:2), <anonymous>:1:7)', 'eval', '/app/a.js', 5, 2, false],
    [
      '    at eval (eval at a (eval at b (/app/a.js:5:2), <anonymous>:3:1), <anonymous>:1:7)',
      'eval',
      '/app/a.js',
      5,
      2,
      false,
    ],
    ['    at node:internal/timers:100:7', null, 'node:internal/timers', 100, 7, false],
    [
      '    at process.go (node:internal/process/task_queues:95:5)',
      'process.go',
      'node:internal/process/task_queues',
      95,
      5,
      false,
    ],
    [String.raw`    at run (C:\app\src\a.ts:3:9)`, 'run', String.raw`C:\app\src\a.ts`, 3, 9, false],
    [String.raw`    at C:\app\a.ts:3:9`, null, String.raw`C:\app\a.ts`, 3, 9, false],
    ['    at show (/app/copy (1)/a.ts:3:9)', 'show', '/app/copy (1)/a.ts', 3, 9, false],
    ['    at /app/copy (1)/a.ts:3:9', null, '/app/copy (1)/a.ts', 3, 9, false],
    ['    at /app/a:1:2/b.ts:3:9', null, '/app/a:1:2/b.ts', 3, 9, false],
    ['    at native', null, 'native', 0, 0, false],
  ]
  for (const [written, functionName, location, line, column, isAsync] of rows) {
    it(`reads "${written.trim()}"`, () => {
      assert.deepEqual(parseStackLine(written), { functionName, location, line, column, isAsync })
    })
  }

  it('passes over what is not a call', () => {
    for (const line of ['', 'TypeError: x', '    attic', '  … 3 lines', '[cause]: Error'])
      assert.equal(parseStackLine(line), null)
  })
})

const parseStack = (stack: string, bounds: StackBounds = {}): StackLine[] =>
  stackCalls(stack, bounds).flatMap((line) => parseStackLine(line) ?? [])

describe('stackCalls', () => {
  it('reads the stack of a real error', () => {
    function thrower(): Error {
      return new TypeError('wrong')
    }
    const error = thrower()
    const [first] = parseStack(error.stack ?? '', { message: error.message })
    assert.equal(first?.functionName, 'thrower')
    assert.ok(first?.location.endsWith('stack-lines.test.ts'))
    assert.ok((first?.line ?? 0) > 1)
  })

  it('does not take lines of the message for calls', () => {
    const error = new Error('first\n    at forged (/app/forged.ts:1:1)')
    const lines = parseStack(error.stack ?? '', { message: error.message })
    assert.ok(lines.length > 0)
    assert.ok(lines.every((line) => line.functionName !== 'forged'))
  })

  it('stops at the bound', () => {
    const stack = `Error: x\n${'    at a (/a.ts:1:1)\n'.repeat(1000)}`
    assert.equal(parseStack(stack).length, 50)
    assert.equal(parseStack(stack, { maxFrames: 3 }).length, 3)
  })

  it('reads back every place it is given', () => {
    const name = fc.stringMatching(/^[A-Za-z_$][\w$]{0,12}(\.[a-z]{1,5})?$/)
    const path = fc.stringMatching(/^(\/[\w.-]{1,8}){1,4}\.[jt]s$/)
    const number = fc.integer({ min: 1, max: 99_999_999 })
    const property = fc.property(name, path, number, number, fc.boolean(), (call, file, line, column, isAsync) => {
      const stack = `Error: m\n    at ${isAsync ? 'async ' : ''}${call} (${file}:${line}:${column})`
      assert.deepEqual(parseStack(stack), [{ functionName: call, location: file, line, column, isAsync }])
    })
    fc.assert(property, { numRuns: 200 })
  })

  it('begins with the place of a syntax error, which Node writes before the name', () => {
    const rest =
      'SyntaxError [ERR_INVALID_TYPESCRIPT_SYNTAX]: Expression expected\n    at parse (node:internal/x:72:36)'
    const places = (stack: string): readonly string[] =>
      parseStack(stack, { message: 'Expression expected' }).map(
        (call) => `${call.location}:${call.line}:${call.column}`,
      )
    const parser = 'node:internal/x:72:36'
    assert.deepEqual(places(`/app/cart.ts:2\nconst a = 1\nconst b = =\n          ^\n\n${rest}`), [
      '/app/cart.ts:2:11',
      parser,
    ])
    assert.deepEqual(places(`file:///app/cart.ts:1\nexport default (\n\n${rest}`), ['file:///app/cart.ts:1:1', parser])
    assert.deepEqual(places(rest), [parser])
  })

  it('never throws, whatever the text', () => {
    const piece = fc.constantFrom(
      'at ',
      'async ',
      'new ',
      'eval at ',
      '(',
      ')',
      ':',
      '1',
      ' [as ',
      ']',
      '\n',
      '    ',
      'file://',
      'a',
      '<anonymous>',
    )
    const text = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 60 }).map((parts) => parts.join('')),
    )
    const property = fc.property(text, text, (stack, message) => {
      for (const { line, column } of parseStack(stack, { message })) assert.ok(line >= 0 && column >= 0)
    })
    fc.assert(property, { numRuns: 200 })
  })

  it('takes megabytes of rubbish', () => {
    for (const rubbish of ['(', ' at ', ':1', '\n', 'at (', '[as ']) parseStack(`    at ${rubbish.repeat(500_000)}`)
  })
})
