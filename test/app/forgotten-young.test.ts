// What a recorded request leaves in memory when its profile is stored: nothing that only a full collection takes away.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'

const run = promisify(execFile)
const supportFile = (name: string): string => fileURLToPath(new URL(`../support/${name}`, import.meta.url))

/** Some 8,000 of each were held by maps, literals and weak maps that live long. */
const maxHeldBytes = 4000
/** A full collection while it measures would count everything that died young as held: none comes before 512 MiB. */
const wideHeap = '--initial-heap-size=512'

describe('a recorded request', () => {
  it('is forgotten with the young once its profile is stored', async (test) => {
    await isForgotten([supportFile('surviving-requests.ts'), makeTemporaryDirectory(test)])
  })

  for (const framework of ['Express', 'Koa']) {
    it(`of ${framework} is forgotten as well`, async (test) => {
      const env = { NODE_ENV: 'development', FANLIGHT_STORE: `sqlite:${makeTemporaryDirectory(test)}/profiles.db` }
      await isForgotten([supportFile('surviving-observed.ts'), framework], env, { FANLIGHT: 'off' })
    })
  }
})

/** `without` is the environment of the same program without Fanlight: what the framework itself holds is not ours (Express on Node 22). */
async function isForgotten(
  program: readonly string[],
  variables: NodeJS.ProcessEnv = {},
  without?: NodeJS.ProcessEnv,
): Promise<void> {
  const measured: number[] = []
  // A starved machine has more requests under way when it measures; what is held shows every time.
  while (measured.length < 3 && !measured.some((bytes) => bytes < maxHeldBytes)) {
    const [held, others] = await Promise.all([
      heldBytes(program, variables),
      without === undefined ? 0 : heldBytes(program, { ...variables, ...without }),
    ])
    assert.ok(held > 0)
    measured.push(held - others)
  }
  assert.ok(Math.min(...measured) < maxHeldBytes, `${measured.join(', ')} bytes of each request are still held`)
}

async function heldBytes(program: readonly string[], variables: NodeJS.ProcessEnv): Promise<number> {
  const { stdout } = await run(process.execPath, [wideHeap, ...program], { env: { ...process.env, ...variables } })
  return Number(stdout)
}
