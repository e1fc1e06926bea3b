#!/usr/bin/env node
// The executable `fanlight`: an older Node cannot read the rest, so it is told first.

import { nodeProblem } from '../base/node-version.ts'

const problem = nodeProblem(process.versions.node)
if (problem === null) await (await import('./executable.ts')).runExecutable()
else {
  console.error(`fanlight: ${problem}`)
  process.exitCode = 1
}
