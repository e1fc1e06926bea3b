// Fuzzes every place where strangers' bytes come in: `npm run fuzz`, `npm run fuzz -- 600` for so many seconds in all (default
// 240), `-- 60 'route patterns'` for one place, `-- 60 'route patterns' 1234` with a seed to see a finding again. Prints
// seeds, counts and the slowest input; exits with 1 when something is found. Only loopback.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import * as fc from 'fast-check'
import { fuzzTargets } from '../test/support/fuzz-targets.ts'

/** An input that takes longer is a finding: nothing may take more than linear time. */
const slowMs = 5000
/** A request that holds the loop for longer is a finding. */
const maxHoldMs = 50
/** Inputs until everything is loaded. */
const warmUps = 100
const [secondsText = '240', only, seedText] = process.argv.slice(2)
const seconds = Number(secondsText)
const chosen = fuzzTargets.filter(({ name }) => only === undefined || name === only)
if (!(seconds > 0) || chosen.length === 0) {
  console.error(`Allowed are seconds above 0 and one of: ${fuzzTargets.map(({ name }) => name).join(', ')}.`)
  process.exit(1)
}

console.log('| place | inputs | seed | slowest | loop held | findings |')
console.log('|---|---|---|---|---|---|')
for (const { name, open, isServed = false } of chosen) {
  const target = await open()
  const seed = seedText === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(seedText)
  const slowest = { ms: 0 }
  const loop = monitorEventLoopDelay({ resolution: 1 })
  loop.enable()
  let inputs = 0
  try {
    const details = await fc.check(timed(target.property, slowest, loop), {
      seed,
      numRuns: Number.MAX_SAFE_INTEGER,
      interruptAfterTimeLimit: (seconds * 1000) / chosen.length,
      markInterruptAsFailure: false,
    })
    inputs = details.numRuns
    const isFound = details.failed && details.counterexample !== null
    const heldMs = loop.max / 1e6
    const isSlow = slowest.ms >= slowMs || (isServed && heldMs > maxHoldMs)
    console.log(
      `| ${name} | ${inputs} | ${seed} | ${Math.round(slowest.ms)} ms | ${isServed ? `${Math.round(heldMs)} ms` : ''} | ${isFound ? 'yes' : isSlow ? 'too slow' : 'none'} |`,
    )
    if (!isFound && !isSlow) continue
    process.exitCode = 1
    if (isFound) console.log(fc.defaultReportMessage(details)?.slice(0, 4000))
  } finally {
    loop.disable()
    await target.close()
  }
}

/** The same property, which notes the time of the slowest input, and ignores the time in which modules were loaded. */
function timed<T>(
  property: fc.IAsyncProperty<T>,
  slowest: { ms: number },
  loop: { reset(): void },
): fc.IAsyncProperty<T> {
  const run = property.run.bind(property)
  let inputs = 0
  return Object.assign(property, {
    run: async (value: T) => {
      inputs += 1
      if (inputs === warmUps) loop.reset()
      const started = performance.now()
      const failure = await run(value)
      slowest.ms = Math.max(slowest.ms, performance.now() - started)
      return failure
    },
  })
}
