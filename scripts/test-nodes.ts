// Runs the suites, or the given test files, on other versions of Node: `npm run test:nodes`.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { otherNodes, programOf } from './install-node.mjs'

for (const version of otherNodes) {
  const program = programOf(version)
  if (!existsSync(program)) {
    console.log(`Left out: Node ${version}, because the npm registry has none for this platform.`)
    continue
  }
  console.log(`Node ${version}`)
  // What the tests start by its name is the same Node.
  const PATH = `${dirname(program)}${delimiter}${process.env['PATH']}`
  const { status } = spawnSync(program, ['scripts/test.ts', ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, PATH },
  })
  if (status !== 0) process.exitCode = 1
}
