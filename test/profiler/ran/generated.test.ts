// Lines and values of generated programs, held against the same programs that tell them.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { runInExchange, runOutsideExchanges } from '../../../src/http/kernel/current-exchange.ts'
import { performance } from '../../../src/base/timing/builtins.ts'
import { CodeTracer } from '../../../src/ran/code-tracer.ts'
import { codeBrief, codePart } from '../../../src/ran/code-part.ts'
import { toSections } from '../../../src/observe/blocks/sections.ts'
import { maxValues, type RanCode } from '../../../src/observe/ran-code.ts'
import { generateProgram } from '../../support/generated-programs.ts'
import { recordedExchange } from '../../support/recorded-exchange.ts'
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts'

const isWhole = process.env['CODE'] === 'whole'
/** `npm run test:code` takes others, and more of them. */
const [first, count] = isWhole ? [1001, 300] : [1, 12]

/** From Node 26 on V8 does not stop where a loop finds no further element. */
const asksAtEnd = Number.parseInt(process.versions.node, 10) < 26

type Read = () => readonly (readonly [name: string, key: number, read: () => unknown])[]

/** File and function, then the lines with their counts and the values that they gave. */
type Called = readonly [
  name: string,
  lines: readonly (readonly [line: number, count: number, values: readonly string[]])[],
]

it(`agrees with ${count} programs about what they did`, async (test) => {
  const directory = makeTemporaryDirectory(test)
  const tracer = new CodeTracer(directory)
  // How long noting takes on this machine does not count.
  test.mock.method(performance, 'now', () => 0)
  let told: ToldCall[] = []
  let programs: Program[] = []
  for (let seed = first; seed < first + count; seed += 1) {
    const { plain, telling } = generateProgram(seed)
    const [file, other] = [join(directory, `p${seed}.mjs`), join(directory, `t${seed}.mjs`)]
    writeFileSync(file, plain)
    writeFileSync(other, `const { $, $each, $eachAsync } = globalThis.told; ${telling}`)
    Object.assign(globalThis, { told: { $: teller(told, `p${seed}.mjs`), $each: each, $eachAsync: eachAsync } })
    const { main: tell } = (await import(pathToFileURL(other).href)) as { main: () => Promise<number> }
    const { main } = (await import(pathToFileURL(file).href)) as { main: () => Promise<number> }
    programs.push({ main, result: await outcomeOf(tell) })
    // To look at several at once is quicker. 200 calls are kept.
    if (told.length < 40 && seed < first + count - 1) continue
    const asked = programs
    const expected = sorted(told.map((call) => call.called()))
    const look = async (): Promise<RanCode> =>
      trace(tracer, async () => {
        for (const one of asked) assert.equal(await outcomeOf(one.main), one.result)
      })
    let ran = await look()
    // V8 passes breakpoints by in a function that it optimizes at that moment, on another thread. It is done soon.
    for (let left = 40; left > 0 && (ran.cuts.length > 0 || calledOf(ran).length < expected.length); left -= 1) {
      await wait(50)
      ran = await look()
    }
    assert.deepEqual([ran.dropped, ran.cuts], [0, []])
    assert.deepEqual(calledOf(ran), expected, `up to seed ${seed}\n${plain}`)
    told = []
    programs = []
  }
})

const numbers = Array.from({ length: 305 }, (_, index) => index)

/** Bounds that are reached after thousands of stops only: `npm run test:code` asks for them, too. */
const farBounds: ReadonlySet<string> = new Set(['notes', 'values'])

/** Each of them has more than is noted. */
const bounded: Readonly<Record<string, readonly [text: string, cut: RegExp]>> = {
  functions: [
    `${numbers.map((at) => `const f${at} = () => ${at}`).join('\n')}
    export async function main() { return [${numbers.map((at) => `f${at}()`).join()}].length }`,
    /^6 more functions ran; only 300 are looked at\.$/,
  ],
  depth: [
    'const f = (left) => { return left === 0 ? 0 : 1 + f(left - 1) }\nexport async function main() { return f(250) }',
    /^Calls deeper than 200 frames are not noted\.$/,
  ],
  turns: [
    'export async function main() {\nlet a = 0\nfor (let i = 0; i < 1e6; i += 1) {\na += i\n}\nreturn a\n}',
    /^$/,
  ],
  places: [
    `export async function main() {\nlet a = 0\n${'a += 1\n'.repeat(200)}return a\n}`,
    /^"main" has 20\d places; only the first 150 are noted\.$/,
  ],
  notes: [
    `${numbers
      .slice(0, 10)
      .map((at) => `function f${at}() {\nlet a = 0\n${'for (let i = 0; i < 501; i += 1) a += i\n'.repeat(30)}}`)
      .join('\n')}
    export async function main() { ${numbers
      .slice(0, 10)
      .map((at) => `f${at}()`)
      .join(';')} }`,
    /^Nothing was noted after 20000 notes\.$/,
  ],
  time: [
    'export async function main() {\nlet a = 0\nfor (let i = 0; i < 300; i += 1) a += i\n}',
    /^Nothing was noted after noting had taken 2 seconds\.$/,
  ],
  values: [
    `export async function main() {
    let [${numbers
      .slice(0, 60)
      .map((at) => `a${at}`)
      .join()}] = []
    for (let i = 0; i < 400; i += 1) {
    ;[${numbers
      .slice(0, 60)
      .map((at) => `a${at}`)
      .join()}] = Array.from({ length: 60 }, () => i + 'x'.repeat(190))
    }\n}`,
    /^Nothing was noted after 2 MB of values\.$/,
  ],
}

for (const [name, [text, cut]] of Object.entries(bounded)) {
  if (farBounds.has(name) && !isWhole) continue
  it(`is bounded by ${name}, and says so`, async (test) => {
    const directory = makeTemporaryDirectory(test)
    const file = join(directory, 'bounded.mjs')
    writeFileSync(file, text)
    const { main } = (await import(pathToFileURL(file).href)) as { main: () => Promise<number> }
    const names = Object.getOwnPropertyNames(globalThis).length
    // Each look at the clock takes as long as nothing, or as 10 ms: how busy the machine is does not count.
    let nowMs = 0
    test.mock.method(performance, 'now', () => (nowMs += name === 'time' ? 10 : 0))
    // Passes by other requests count, and are sooner.
    const work = name === 'notes' ? async () => runOutsideExchanges(main) : main
    const ran = await trace(new CodeTracer(directory), async () => void (await work()))
    assert.match(ran.cuts.join(), cut)
    assert.equal(Object.getOwnPropertyNames(globalThis).length, names)
    assert.ok(ran.calls.length <= 200 && ran.functions.length <= 300)
    const lines = ran.calls.flatMap((call) => call.lines)
    assert.ok(lines.every(({ count: times }) => times <= 500))
    // What ran too often to be noted is not said to have not run.
    if (name === 'turns') assert.equal(ran.calls[0]?.cutAt === null, false)
  })
}

it('keeps 150 lines of a function, and says how many more it has', async (test) => {
  const directory = makeTemporaryDirectory(test)
  const file = join(directory, 'tall.mjs')
  writeFileSync(file, `export async function main() {\nreturn [\n${'1,\n'.repeat(197)}].length\n}`)
  const { main } = (await import(pathToFileURL(file).href)) as { main: () => Promise<number> }
  const ran = await trace(new CodeTracer(directory), async () => void (await main()))
  const [{ source, moreLines } = { source: [], moreLines: 0 }] = ran.functions
  assert.deepEqual([source.length, source.at(-1), moreLines], [150, '1,', 51])
  for (const blocks of [codePart.draw(ran, { data: {} } as never), codeBrief(ran, { data: {} } as never)]) {
    const lines = toSections(blocks, (said) => said).flatMap(({ items }) => items)
    assert.ok(lines.at(-1)?.endsWith('51 more lines: not kept.'), lines.at(-1))
  }
})

const tries = isWhole ? 1000 : 10

it(`notes nothing of another request in ${tries} tries of two at once`, async (test) => {
  const directory = makeTemporaryDirectory(test)
  const file = join(directory, 'both.mjs')
  writeFileSync(
    file,
    `export async function main(id) {
  let text = ''
  for (let turn = 0; turn < 3; turn += 1) {
    text += await loud(id)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return text
}
async function loud(id) {
  const said = id + '!'
  await null
  return said
}`,
  )
  const { main } = (await import(pathToFileURL(file).href)) as { main: (id: string) => Promise<string> }
  const tracer = new CodeTracer(directory)
  const other = (): Promise<string> => runInExchange({ recording: {} } as never, async () => main('other'))
  // To begin a trace takes longest: five tries share one.
  for (let begun = 0; begun < tries; begun += 5) {
    const ran = await trace(tracer, async () => {
      for (let turn = begun; turn < begun + 5; turn += 1) {
        const both = turn % 2 === 0 ? [other(), main('own')] : [main('own'), other()]
        assert.deepEqual((await Promise.all(both)).toSorted(), ['other!other!other!', 'own!own!own!'])
      }
    })
    const text = JSON.stringify(ran.calls)
    assert.doesNotMatch(text, /other/)
    // V8 may pass some by, but adds none.
    const loud = ran.calls.filter(({ function: index }) => ran.functions[index]?.name === 'loud')
    assert.ok(loud.length <= 15, text)
  }
})

interface Program {
  readonly main: () => Promise<number>
  readonly result: unknown
}

async function outcomeOf(main: () => Promise<number>): Promise<unknown> {
  return main().catch((error: unknown) => String(error))
}

class ToldCall {
  readonly #name: string
  readonly #head: number
  readonly #counts = new Map<number, Map<number, number>>()
  readonly #values = new Map<number, Map<string, string[]>>()
  readonly #seen = new Map<number, { readonly text: string; line: number; turn: number }>()
  readonly #made = new Map<number, { readonly line: number; readonly turn: number }>()
  #turn = 0
  #line: number

  constructor(name: string, head: number) {
    this.#name = name
    this.#head = head
    this.#line = head
  }

  /** A line below zero is the end of the function. */
  tell(line: number, place: number, read: Read, makes: readonly number[] = []): void {
    for (const [name, key, value] of read()) {
      if (!isTold(name)) continue
      const now = value()
      const text = typeof now === 'string' ? `"${now}"` : String(now)
      const seen = this.#seen.get(key)
      if (seen?.text !== text) this.#change(name, text, this.#changedAt(key))
      this.#seen.set(key, { text, line, turn: this.#turn + 1 })
    }
    this.#turn += 1
    this.#line = line
    for (const key of makes) this.#made.set(key, { line, turn: this.#turn })
    if (line < 0) return
    const counts = this.#counts.get(line) ?? new Map<number, number>()
    this.#counts.set(line, counts.set(place, (counts.get(place) ?? 0) + 1))
  }

  /** The statement before, or that which made the variable, or the last one that saw it before another of its name hid it. */
  #changedAt(key: number): number {
    const [seen, made] = [this.#seen.get(key), this.#made.get(key)]
    if (seen?.turn === this.#turn) return this.#line
    if (made !== undefined && made.turn >= (seen?.turn ?? 0)) return made.line
    return seen?.line ?? this.#head
  }

  #change(name: string, text: string, line: number): void {
    const values = this.#values.get(line) ?? new Map<string, string[]>()
    this.#values.set(line, values.set(name, [...(values.get(name) ?? []), text]))
  }

  called(): Called {
    const lines = [...new Set([...this.#counts.keys(), ...this.#values.keys()])].toSorted((one, other) => one - other)
    return [
      this.#name,
      lines.map((line) => [
        line,
        Math.max(0, ...(this.#counts.get(line)?.values() ?? [])),
        shown([...(this.#values.get(line) ?? [])]),
      ]),
    ]
  }
}

function teller(told: ToldCall[], file: string): (name: string, line: number) => ToldCall['tell'] {
  return (name, line) => {
    const call = new ToldCall(`${file} ${name}`, line)
    told.push(call)
    return call.tell.bind(call)
  }
}

/** Tells a loop each time that it asks for the next element. */
function* each<Item>(begin: () => void, next: () => void, items: readonly Item[]): Generator<Item> {
  begin()
  for (const item of items) {
    next()
    yield item
  }
  if (asksAtEnd) next()
}

async function* eachAsync<Item>(
  begin: () => void,
  next: () => void,
  of: () => AsyncIterable<Item>,
): AsyncGenerator<Item> {
  begin()
  const items = of()
  if (asksAtEnd) next()
  for await (const item of items) {
    if (!asksAtEnd) next()
    yield item
    if (asksAtEnd) next()
  }
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
  return sorted(
    calls.flatMap(({ function: index, lines, path }): Called[] => {
      const { name, file, line: head, places } = functions[index] ?? { name: '', file: '', line: 0, places: [] }
      if (name === 'main' || name === 'zip') return []
      for (const { line, values } of lines) {
        const of = values.flatMap(([, , steps]) => steps.map((step) => (step < 0 ? head : places[path[step] ?? -1])))
        assert.deepEqual([...new Set(of)], values.length === 0 ? [] : [line], `${file} ${name}`)
      }
      return [
        [
          `${file} ${name}`,
          lines
            .map(
              ({ line, count: times, values }) =>
                [line, times, shown(values.filter(([variable]) => isTold(variable)))] as const,
            )
            .filter(([, times, values]) => times > 0 || values.length > 0),
        ],
      ]
    }),
  )
}

/** Those that are functions, objects and lists are not. */
function isTold(name: string): boolean {
  return /^(?:[abxz]|v\d+)$/.test(name)
}

function sorted(calls: readonly Called[]): readonly Called[] {
  return calls.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
}

async function trace(tracer: CodeTracer, work: () => Promise<void>): Promise<RanCode> {
  const exchange = recordedExchange()
  let ran: RanCode | undefined
  for (const state of ['functions', 'lines']) {
    const running = tracer.start('GET /', exchange.recording)
    assert.ok('stop' in running)
    await runInExchange(exchange, work)
    ran = running.stop()
    assert.equal(ran.state, state)
  }
  assert.ok(ran !== undefined)
  return ran
}
