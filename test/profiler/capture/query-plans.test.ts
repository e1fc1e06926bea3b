// Which queries are explained, and what a reader is told of the others.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Redactor } from '../../../src/base/redact/redactor.ts'
import { QueryPlans, type DatabaseWays, type Explain } from '../../../src/observe/outgoing/query-plans.ts'

const queryOf = (text: string): { system: string; library: string; text: string } => ({
  system: 'sqlite',
  library: 'node:sqlite',
  text,
})
const asked: string[] = []
const explain: Explain = async (text) => {
  asked.push(text)
  return Promise.resolve(['SCAN users'])
}
const waysTo = (way: Explain): DatabaseWays => ({ explain: way, rows: async () => Promise.reject(new Error('none')) })

describe('QueryPlans', () => {
  it('T166: explains no text that this process did not send, such as that of an imported profile', async () => {
    const plans = new QueryPlans(new Redactor())
    plans.remember(queryOf('SELECT 1'), waysTo(explain))
    const plan = await plans.plan(queryOf('SELECT 1 UNION SELECT password FROM users'))
    assert.ok('problem' in plan && plan.problem.includes('Run the query once in this process'))
    assert.deepEqual(await plans.plan(queryOf('SELECT 1')), { steps: ['SCAN users'] })
  })

  it('T167: hands over one query only, and no command', async () => {
    asked.length = 0
    const plans = new QueryPlans(new Redactor())
    for (const text of [
      'SELECT 1; DROP TABLE users',
      'DROP TABLE users',
      'ATTACH ? AS other',
      'BEGIN',
      'COPY t FROM ?',
    ]) {
      plans.remember(queryOf(text), waysTo(explain))
      assert.ok('problem' in (await plans.plan(queryOf(text))), text)
    }
    plans.remember(queryOf('SELECT 1 ; '), waysTo(explain))
    await plans.plan(queryOf('SELECT 1 ; '))
    assert.deepEqual(asked, ['SELECT 1 '])
  })

  it('says what went wrong, masked, and does not wait for ever', async () => {
    const plans = new QueryPlans(new Redactor())
    const fails = (): never => {
      throw new Error('Authorization: Bearer canary-0123456789')
    }
    plans.remember(queryOf('SELECT 1'), waysTo(fails))
    plans.remember(
      queryOf('SELECT 2'),
      waysTo(async () => Promise.withResolvers<never>().promise),
    )
    const [failed, late] = await Promise.all([plans.plan(queryOf('SELECT 1')), plans.plan(queryOf('SELECT 2'))])
    assert.ok('problem' in failed && !failed.problem.includes('canary') && failed.problem.includes('gave no plan'))
    assert.ok('problem' in late && late.problem.includes('no response within 3000 ms'))
  })

  it('remembers 500 queries, the newest ones', async () => {
    const plans = new QueryPlans(new Redactor())
    for (let index = 0; index < 501; index += 1) plans.remember(queryOf(`SELECT ${index}`), waysTo(explain))
    assert.ok('problem' in (await plans.plan(queryOf('SELECT 0'))))
    assert.ok('steps' in (await plans.plan(queryOf('SELECT 500'))))
  })
})
