// What is left of a statement when its values are taken out.

import assert from 'node:assert/strict'
import { fc } from '../../support/fast-check.ts'
import { describe, it } from 'node:test'
import { mongoText, redisText, sqlText, type Dialect } from '../../../src/observe/outgoing/query-text.ts'

describe('sqlText', () => {
  it('takes every literal out and leaves names and parameters', () => {
    const cases: readonly (readonly [Dialect, string, string])[] = [
      [
        'sql',
        "SELECT a1 FROM t2 WHERE b='x''y' AND c=12.5e3 AND d=$1 AND e=:name",
        'SELECT a1 FROM t2 WHERE b=? AND c=? AND d=$1 AND e=:name',
      ],
      ['sql', 'SELECT "col 1" FROM t -- secret\nWHERE x = 0xFF /* secret */', 'SELECT "col 1" FROM t  \nWHERE x = ?'],
      ['sql', "SELECT 'never ends", 'SELECT ?'],
      ['mysql', `SELECT "it\\"s", 'it\\'s', \`col 1\` # secret`, 'SELECT ?, ?, `col 1`'],
      [
        'postgresql',
        "SELECT E'it\\'s', $$secret$$, $a$se$$cret$a$, $1, ARRAY['secret']",
        'SELECT ?, ?, ?, $1, ARRAY[?]',
      ],
      ['postgresql', "SELECT 'C:\\', 'secret'", 'SELECT ?, ?'],
    ]
    for (const [dialect, sql, text] of cases) assert.equal(sqlText(sql, dialect).text, text)
  })

  it('forgets rather than to grow without a bound', () => {
    const first = sqlText('SELECT first', 'sql')
    for (let name = 0; name < 600; name += 1) sqlText(`SELECT a${name}`, 'sql')
    assert.notEqual(sqlText('SELECT first', 'sql'), first)
  })

  it('gives statements one shape that differ in values only', () => {
    const shape = (sql: string): string => sqlText(sql, 'sql').shape
    assert.equal(shape('SELECT * FROM t WHERE id IN (1, 2,3)'), shape('SELECT  *\nFROM t WHERE id IN (?)'))
    assert.equal(shape('INSERT INTO t VALUES (1, 2), (3, 4)'), shape('INSERT INTO t VALUES ($1, $2)'))
    assert.notEqual(shape('SELECT a FROM t'), shape('SELECT b FROM t'))
  })

  it('never shows what is in a string, whatever is around it', () => {
    const dialects: readonly Dialect[] = ['sql', 'mysql', 'postgresql']
    const plain = fc.stringMatching(/^[a-z0-9 =,()]{0,40}$/)
    fc.assert(
      fc.property(plain, plain, fc.constantFrom(...dialects), (before, after, dialect) => {
        const { text } = sqlText(`${before} 'SECRET' ${after}`, dialect)
        assert.doesNotMatch(text, /SECRET/)
      }),
      { numRuns: 200 },
    )
  })

  it('reads any text, and long ones in no time to speak of', () => {
    fc.assert(
      fc.property(fc.string(), (sql) => {
        sqlText(sql, 'postgresql')
      }),
      { numRuns: 200 },
    )
    for (const piece of ["'", '"', '$a$', '/*', '(?,', '\\', "'\\"]) {
      assert.ok(sqlText(piece.repeat(100_000), 'mysql').text.length <= 4097)
      assert.ok(sqlText(piece.repeat(100_000), 'postgresql').text.length <= 4097)
    }
  })
})

describe('redisText', () => {
  it('shows command and key, and no value', () => {
    assert.equal(redisText('set', ['user:42', 'secret']).text, 'SET user:42 ?')
    assert.equal(redisText('AUTH', ['secret']).text, 'AUTH ?')
    assert.equal(redisText('CONFIG', ['SET', 'requirepass', 'secret']).text, 'CONFIG ?')
    assert.equal(redisText('EVAL', ['return 1', '0']).text, 'EVAL ?')
    assert.equal(redisText('PING', []).text, 'PING')
  })

  it('takes keys of one pattern for one shape', () => {
    assert.equal(redisText('GET', ['user:42:cart']).shape, redisText('GET', ['user:7:cart']).shape)
    assert.notEqual(redisText('GET', ['user:42:cart']).shape, redisText('GET', ['user:42:name']).shape)
  })
})

it('mongoText: shows operation, collection and names, and no value', () => {
  const filter = { email: 'secret', age: { $gt: 42 }, $or: [{ a: 1 }, { a: 2 }, { b: 3 }], at: new Date(0) }
  assert.equal(
    mongoText('find', 'users', filter).text,
    'users.find({ email: ?, age: { $gt: ? }, $or: [{ a: ? }, { b: ? }], at: ? })',
  )
  assert.equal(mongoText('insert', 'users', undefined).text, 'users.insert()')
})
