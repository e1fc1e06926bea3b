// Texts that must do no harm, for the suites of real databases.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { RowAnswer } from '../../src/observe/outgoing/open-databases.ts'

/** Each text gets a problem that matches, and `state` is what it was. */
export function itRefuses(
  system: string,
  read: (sql: string) => Promise<RowAnswer>,
  state: () => unknown,
  attacks: Readonly<Record<string, RegExp>>,
): void {
  for (const [sql, problem] of Object.entries(attacks)) {
    it(`refuses ${sql} (${system})`, async () => {
      const before = await state()
      const answer = await read(sql)
      assert.ok('problem' in answer, JSON.stringify(answer))
      assert.match(answer.problem, problem)
      assert.deepEqual(await state(), before)
    })
  }
}
