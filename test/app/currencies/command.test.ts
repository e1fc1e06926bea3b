import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { runCurrencyCommand } from '../../../app/currencies/command.ts'
import type { Currency } from '../../../app/currencies/currency.ts'
import { maxRatesLength } from '../../../app/currencies/ecb-rates.ts'
import { fillWithSamples } from '../../../app/currencies/samples.ts'
import { openSqliteEngine } from '../../../src/stores/sqlite/open-sqlite-engine.ts'
import { openMemoryEngine } from '../../../src/stores/memory/open-memory-engine.ts'
import { compiledCode } from '../../support/compiled-code.ts'
import { currenciesOf } from '../../support/counting-currency-store.ts'
import { dailyFile } from '../../support/rates-file.ts'
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts'

const now = '2026-11-21T10:00:00.000Z'

interface Shell {
  readonly path: string
  run(...words: readonly string[]): Promise<{ exitCode: number; stdout: string; stderr: string }>
  recordOf(code: string): Promise<Currency>
}

/** A filled store, and the command on it. */
async function shell(test: TestContext): Promise<Shell> {
  const path = makeTemporaryDirectory(test)
  const engine = await openSqliteEngine({ path: join(path, 'store.db') })
  test.after(() => engine.close())
  const store = currenciesOf(engine)
  await fillWithSamples(store)
  const run: Shell['run'] = async (...words) => {
    const written = { stdout: '', stderr: '' }
    const exitCode = await runCurrencyCommand(words, {
      store,
      print: (text) => (written.stdout += text),
      printError: (text) => (written.stderr += text),
      now: () => Date.parse(now),
    })
    return { exitCode, ...written }
  }
  const recordOf = async (code: string): Promise<Currency> =>
    JSON.parse((await run('show', code, '--json')).stdout) as Currency
  return { path, run, recordOf }
}

describe('currency list and show', () => {
  it('lists active currencies in aligned columns, and says what is left out', async (test) => {
    const { run } = await shell(test)
    const { stdout, exitCode } = await run('list')
    assert.equal(exitCode, 0)
    const lines = stdout.trimEnd().split('\n')
    assert.equal(lines.length, 1 + 155 + 1)
    assert.match(lines[0] ?? '', /^code {2}sign/)
    assert.match(stdout, /^EUR {3}€ +1 +2026-07-09 {2}default, sample {2}Euro$/m)
    assert.equal(lines.at(-1), '23 more that are not active: --all')
    assert.match((await run('list', '--all')).stdout, /^XAU .*not active, sample {2}Gold$/m)
    assert.equal((JSON.parse((await run('list', '--json')).stdout) as unknown[]).length, 155)
  })

  it('shows one record, and says where there is none', async (test) => {
    const { run, recordOf } = await shell(test)
    assert.match((await run('show', 'CHF')).stdout, /^title {7,}Swiss Franc$/m)
    assert.match((await run('show', 'CHF')).stdout, /^rate .*0\.9227 \(sample\)$/m)
    assert.equal((await recordOf('CHF')).rate, '0.9227')
    const missing = await run('show', 'DEM')
    assert.equal(missing.exitCode, 3)
    assert.match(missing.stderr, /^there is no currency DEM in sqlite:.*\n$/)
  })
})

describe('currency set and default', () => {
  it('changes what is named and nothing else', async (test) => {
    const { run, recordOf } = await shell(test)
    const before = await recordOf('CHF')
    assert.equal((await run('set', 'CHF', '--rate', '0.95', '--sign', 'Fr.')).exitCode, 0)
    const after = await recordOf('CHF')
    assert.deepEqual(after, { ...before, rate: '0.95', sign: 'Fr.', rate_at: now, updated_at: now })
    await run('set', 'CHF', '--no-active')
    assert.deepEqual(await recordOf('CHF'), { ...after, is_active: false })
    await run('set', 'CHF', '--active', '--title', 'A\u001b[31mB')
    assert.equal((await recordOf('CHF')).is_active, true)
    assert.match((await run('list')).stdout, /A\\u\{1b\}\[31mB$/m)
  })

  it('makes a new record when rate, title and sign are given', async (test) => {
    const { run, recordOf } = await shell(test)
    assert.equal((await run('set', 'DEM', '--rate', '1.95583')).exitCode, 3)
    assert.equal((await run('set', 'DEM', '--rate', '1.95583', '--title', 'German Mark', '--sign', 'DM')).exitCode, 0)
    const times = { created_at: now, updated_at: now, rate_at: now }
    const made = { code: 'DEM', title: 'German Mark', rate: '1.95583', sign: 'DM', is_active: true, is_default: false }
    assert.deepEqual(await recordOf('DEM'), { ...made, ...times })
  })

  it('moves the default, one at a time', async (test) => {
    const { run } = await shell(test)
    assert.equal((await run('default', 'USD')).exitCode, 0)
    const all = JSON.parse((await run('list', '--all', '--json')).stdout) as Currency[]
    assert.deepEqual(
      all.filter(({ is_default }) => is_default).map(({ code }) => code),
      ['USD'],
    )
    assert.equal((await run('default', 'XAU')).exitCode, 1)
    assert.equal((await run('default', 'DEM')).exitCode, 3)
    assert.equal((await run('set', 'USD', '--no-active')).exitCode, 1)
  })

  for (const words of [
    [],
    ['nothing'],
    ['list', 'EUR'],
    ['list', '--wide'],
    ['show', 'EUR', 'USD'],
    ['set', 'EUR', '--rate', '2'],
    ['set', 'CHF', '--rate=-1'],
    ['set', 'CHF', '--rate', '-1'],
    ['set', 'CHF', '--rate', '0'],
    ['set', 'CHF', '--rate', '1e3'],
    ['set', 'CHF', '--sign', ' '],
    ['set', 'CHF', '--title', 'x'.repeat(101)],
    ['set', 'CHF', '--active', '--no-active'],
    ['set', 'CHF'],
    ['set', 'chf', '--rate', '1'],
    ['show', '__proto__'],
    ['default'],
    ['import'],
  ]) {
    it(`does not understand "currency ${words.join(' ').slice(0, 40)}", and says what it does`, async (test) => {
      const { run } = await shell(test)
      const { exitCode, stdout, stderr } = await run(...words)
      assert.equal(exitCode, 2)
      assert.equal(stdout, '')
      assert.match(stderr, /^[^\n]+\nlist \[--all\]/)
    })
  }

  it('changes nothing in a store that no other process sees', async () => {
    let stderr = ''
    const store = currenciesOf(await openMemoryEngine())
    const printError = (text: string): void => void (stderr += text)
    assert.equal(await runCurrencyCommand(['set', 'CHF', '--rate', '1'], { store, printError }), 1)
    assert.match(stderr, /^The store is "memory:", which no other process sees/)
  })
})

describe('currency import', () => {
  it('imports a daily file', async (test) => {
    const { run, path, recordOf } = await shell(test)
    const file = join(path, 'daily.xml')
    writeFileSync(file, dailyFile(["<Cube currency='USD' rate='1.0842'/>"]))
    const { stdout, exitCode } = await run('import', file)
    assert.equal(exitCode, 0)
    assert.match(stdout, /^1 rates of 2026-11-20 imported\.\n154 active currencies/)
    assert.equal((await recordOf('USD')).rate, '1.0842')
  })

  const cubes = ["<Cube currency='USD' rate='1.0842'/>", "<Cube currency='JPY' rate='-5'/>"]
  for (const [what, content, exitCode, message] of [
    ['a bad rate', dailyFile(cubes), 1, /: Line 10: the rate of JPY is "-5"; .*; nothing was changed\n$/],
    ['too many bytes', ' '.repeat(maxRatesLength + 1), 1, /has more than 1000000 bytes/],
    ['bytes that are no text', Buffer.from([0xff, 0xfe]), 1, /is not UTF-8/],
    ['a folder in its place', undefined, 1, /cannot be read: it is a directory/],
    ['nothing in its place', null, 3, /there is no file/],
  ] as const) {
    it(`refuses a file with ${what}, and changes nothing`, async (test) => {
      const { run, path, recordOf } = await shell(test)
      const file = join(path, 'bad.xml')
      if (content === undefined) mkdirSync(file)
      else if (content !== null) writeFileSync(file, content)
      const result = await run('import', file)
      assert.equal(result.exitCode, exitCode)
      assert.match(result.stderr, message)
      assert.equal((await recordOf('USD')).rate, '1.1435')
    })
  }
})

it('fanlight run currency: works on the store of the shop, as its page and README say', async (test) => {
  const path = makeTemporaryDirectory(test)
  const env = { PATH: process.env['PATH'], APP_ENV: 'prod', APP_STORE: `sqlite:${join(path, 'fanlight.db')}` }
  const root = join(import.meta.dirname, '../../..')
  const run = (...words: readonly string[]): Promise<readonly [number | null, string, string]> =>
    new Promise((resolve) => {
      const args = ['src/cli/main.ts', 'run', 'currency', ...words]
      const options = { cwd: root, env: { ...env, ...compiledCode } }
      const child = execFile(process.execPath, args, options, (_, stdout, stderr) => {
        resolve([child.exitCode, stdout, stderr])
      })
      child.stdin?.end(dailyFile(["<Cube currency='USD' rate='1.0842'/>"]))
    })
  const [setCode, shown] = await run('--', 'set', 'CHF', '--rate', '0.95')
  assert.deepEqual([setCode, /^rate +0\.95$/m.test(shown)], [0, true])
  const [importCode, imported] = await run('import', '-')
  assert.deepEqual([importCode, imported.split('\n')[0]], [0, '1 rates of 2026-11-20 imported.'])
  assert.match((await run('show', 'USD'))[1], /^rate +1\.0842$/m)
  const [exitCode, stdout, stderr] = await run('show', 'DEM')
  assert.deepEqual([exitCode, stdout], [1, ''])
  assert.match(stderr, /^there is no currency DEM in sqlite:.*\nfanlight: currency exited with 3\n$/)
})
