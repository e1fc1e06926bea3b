// Lines and values of generated programs, held against the same programs that tell them.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { runInExchange } from '../../../src/framework/kernel/current-exchange.ts'
import { Redactor } from '../../../src/framework/redact/redactor.ts'
import { Stopwatch } from '../../../src/framework/timing/stopwatch.ts'
import { CodeTracer } from '../../../src/profiler/ran/code-tracer.ts'
import { maxValues, type RanCode } from '../../../src/profiler/ran/ran-code.ts'
import { generateProgram } from '../../support/generated-programs.ts'
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts'

const count = 100

/** Function, then the lines with their counts and the values that they gave. */
type Called = readonly [
  name: string,
  lines: readonly (readonly [line: number, count: number, values: readonly string[]])[],
]

interface Told {
  readonly name: string
  readonly lines: Map<number, { count: number; values: Map<string, string[]> }>
  readonly seen: Map<string, string>
  last: number
}

it(`agrees with ${count} programs about what they did`, async (test) => {
  const directory = makeTemporaryDirectory(test)
  const tracer = new CodeTracer(directory)
  for (let seed = 1; seed <= count; seed += 1) {
    const { plain, telling } = generateProgram(seed)
    const [file, other] = [join(directory, `p${seed}.mjs`), join(directory, `t${seed}.mjs`)]
    writeFileSync(file, plain)
    writeFileSync(other, `const $ = globalThis.toldCalls; ${telling}`)
    const told: Told[] = []
    Object.assign(globalThis, { toldCalls: (name: string, line: number) => begin(told, name, line) })
    const { main: tell } = (await import(pathToFileURL(other).href)) as { main: () => Promise<number> }
    const { main } = (await import(pathToFileURL(file).href)) as { main: () => Promise<number> }
    const result = await tell()
    const ran = await trace(tracer, async () => assert.equal(await main(), result))
    const called = calledOf(ran)
    // The first 200 calls are kept.
    const expected = toldOf(told).slice(0, ran.dropped === 0 ? undefined : called.length)
    assert.deepEqual(called, expected, `seed ${seed}\n${plain}`)
  }
})

function begin(
  told: Told[],
  name: string,
  line: number,
): (line: number, read: () => [string, () => unknown][]) => void {
  const call: Told = { name, lines: new Map(), seen: new Map(), last: line }
  if (name.startsWith('f')) told.push(call)
  return (number, read) => {
    for (const [variable, value] of read()) {
      const text = String(value())
      if (call.seen.get(variable) === text) continue
      call.seen.set(variable, text)
      const { values } = lineOf(call, call.last)
      values.set(variable, [...(values.get(variable) ?? []), text])
    }
    lineOf(call, number).count += 1
    call.last = number
  }
}

function lineOf({ lines }: Told, line: number): { count: number; values: Map<string, string[]> } {
  const known = lines.get(line) ?? { count: 0, values: new Map<string, string[]>() }
  lines.set(line, known)
  return known
}

/** Of what was told: a line that only passes values on, or that another statement shares, is not told. */
function toldOf(told: readonly Told[]): readonly Called[] {
  return told.map(({ name, lines }) => [
    name,
    [...lines]
      .toSorted(([one], [other]) => one - other)
      .map(([line, { count: times, values }]) => [line, times, shown([...values])] as const),
  ])
}

function shown(
  values: readonly (readonly [name: string, texts: readonly string[], steps?: unknown])[],
): readonly string[] {
  return values
    .map(
      ([name, texts]) =>
        `${name} ${[...texts.slice(0, maxValues - 1), ...texts.slice(maxValues - 1).slice(-1)].join(' ')}`,
    )
    .toSorted()
}

function calledOf({ calls, functions }: RanCode): readonly Called[] {
  return calls.flatMap(({ function: index, lines }): Called[] => {
    const { name, line: head, source } = functions[index] ?? { name: '', line: 0, source: [] }
    if (!/^f\d+$/.test(name)) return []
    const isTold = (line: number): boolean =>
      line === head || /^\s*(?:let|const|a|b|return|await|if .* throw)\b/.test(source[line - head] ?? '')
    // Variables of loops are not told.
    const loops = new Set(source.flatMap((text) => /for \((?:let|const) (\w+)/.exec(text)?.[1] ?? []))
    return [
      [
        name,
        lines
          .map(
            ({ line, count: times, values }) =>
              [line, times, shown(values.filter(([variable]) => !loops.has(variable)))] as const,
          )
          .filter(([line, , values]) => isTold(line) || values.length > 0),
      ],
    ]
  })
}

async function trace(tracer: CodeTracer, work: () => Promise<void>): Promise<RanCode> {
  const aside = (run: () => unknown): unknown => run()
  const recording = { token: 'generated', redactor: new Redactor(), stopwatch: new Stopwatch(), aside } as never
  let ran: RanCode | undefined
  for (const state of ['functions', 'lines']) {
    const running = tracer.start('GET /', recording)
    assert.ok('stop' in running)
    await runInExchange({ recording } as never, work)
    ran = running.stop()
    assert.equal(ran.state, state)
  }
  assert.ok(ran !== undefined)
  return ran
}
