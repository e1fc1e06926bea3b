// Fuzzes every place where strangers' bytes come in: `npm run fuzz`, `npm run fuzz -- 600` for so many seconds in all (default
// 240), `-- 60 'route patterns'` for one place, `-- 60 'route patterns' 1234` with a seed to see a finding again. Prints
// seeds, counts and the slowest input; exits with 1 when something is found. Only loopback.

import * as fc from 'fast-check'
import { fuzzTargets } from '../test/support/fuzz-targets.ts'

/** An input that takes longer is a finding: nothing may take more than linear time. */
const slowMs = 5000
const [secondsText = '240', only, seedText] = process.argv.slice(2)
const seconds = Number(secondsText)
const chosen = fuzzTargets.filter(({ name }) => only === undefined || name === only)
if (!(seconds > 0) || chosen.length === 0) {
  console.error(`Allowed are seconds above 0 and one of: ${fuzzTargets.map(({ name }) => name).join(', ')}.`)
  process.exit(1)
}

console.log('| place | inputs | seed | slowest | findings |')
console.log('|---|---|---|---|---|')
for (const { name, open } of chosen) {
  const target = await open()
  const seed = seedText === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(seedText)
  const slowest = { ms: 0 }
  let inputs = 0
  try {
    const details = await fc.check(timed(target.property, slowest), {
      seed,
      numRuns: Number.MAX_SAFE_INTEGER,
      interruptAfterTimeLimit: (seconds * 1000) / chosen.length,
      markInterruptAsFailure: false,
    })
    inputs = details.numRuns
    const isFound = details.failed && details.counterexample !== null
    console.log(
      `| ${name} | ${inputs} | ${seed} | ${Math.round(slowest.ms)} ms | ${isFound ? 'yes' : slowest.ms < slowMs ? 'none' : 'too slow'} |`,
    )
    if (!isFound && slowest.ms < slowMs) continue
    process.exitCode = 1
    if (isFound) console.log(fc.defaultReportMessage(details)?.slice(0, 4000))
  } finally {
    await target.close()
  }
}

/** The same property, which notes how long the slowest input took. */
function timed<T>(property: fc.IAsyncProperty<T>, slowest: { ms: number }): fc.IAsyncProperty<T> {
  const run = property.run.bind(property)
  return Object.assign(property, {
    run: async (value: T) => {
      const started = performance.now()
      const failure = await run(value)
      slowest.ms = Math.max(slowest.ms, performance.now() - started)
      return failure
    },
  })
}
