import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Currency } from '../../src/plugins/currency/currency.ts'
import { seedCurrencies } from '../../src/plugins/currency/seed-currencies.ts'
import { textWidth } from '../../src/cli/terminal.ts'
import { cliFolder, cliNow, type CliFolder } from '../support/cli-run.ts'
import { dailyFile } from '../support/rates-file.ts'

async function filledFolder(): Promise<CliFolder> {
  const folder = await cliFolder()
  const engine = await folder.engine()
  await seedCurrencies(engine.currencies)
  return folder
}

async function recordOf(folder: CliFolder, code: string): Promise<Currency> {
  return JSON.parse((await folder.run(['currency', 'show', code, '--json'])).stdout) as Currency
}

describe('fanlight currency list and show', () => {
  it('lists active currencies in aligned columns, and says what is left out', async () => {
    await using folder = await filledFolder()
    const { stdout, exitCode } = await folder.run(['currency', 'list'])
    assert.equal(exitCode, 0)
    const lines = stdout.trimEnd().split('\n')
    assert.equal(lines.length, 1 + 155 + 1)
    assert.match(lines[0] ?? '', /^code {2}sign/)
    assert.match(stdout, /^EUR {3}€ .* 1 {2}2026-07-09 {2}default, sample {2}Euro$/m)
    assert.equal(lines.at(-1), '23 more that are not active: --all')
    assert.match((await folder.run(['currency', 'list', '--all'])).stdout, /^XAU .*not active, sample {2}Gold$/m)
  })

  it('never gets wider than the terminal, and colours only there', async () => {
    await using folder = await filledFolder()
    const { stdout } = await folder.run(['currency', 'list', '--all'], { columns: 60 })
    assert.ok(stdout.includes('\u001b['))
    const plain = stdout.replace(/\u001b\[\d+m/g, '')
    assert.ok(plain.split('\n').every((line) => textWidth(line) <= 60))
    assert.match(plain, /…/)
    assert.ok(!(await folder.run(['currency', 'list'])).stdout.includes('\u001b'))
  })

  it('shows one record, and ends with 3 where there is none', async () => {
    await using folder = await filledFolder()
    assert.match((await folder.run(['currency', 'show', 'CHF'])).stdout, /^title {7}Swiss Franc$/m)
    assert.equal((await recordOf(folder, 'CHF')).rate, '0.9227')
    const missing = await folder.run(['currency', 'show', 'DEM'])
    assert.equal(missing.exitCode, 3)
    assert.match(missing.stderr, /^fanlight: there is no currency DEM in sqlite:.*\n$/)
  })

  it('says that an empty collection is empty', async () => {
    await using folder = await cliFolder()
    assert.match((await folder.run(['currency', 'list'])).stdout, /no currencies yet/)
    assert.equal((await folder.run(['currency', 'list', '--json'])).stdout, '[]\n')
  })
})

describe('fanlight currency set and default', () => {
  it('changes what is named and nothing else', async () => {
    await using folder = await filledFolder()
    const before = await recordOf(folder, 'CHF')
    assert.equal((await folder.run(['currency', 'set', 'CHF', '--rate', '0.95', '--sign', 'Fr.'])).exitCode, 0)
    const after = await recordOf(folder, 'CHF')
    assert.deepEqual(after, { ...before, rate: '0.95', sign: 'Fr.', rate_at: cliNow, updated_at: cliNow })
    await folder.run(['currency', 'set', 'CHF', '--no-active'])
    assert.deepEqual(await recordOf(folder, 'CHF'), { ...after, is_active: false })
  })

  it('makes a new record when rate, title and sign are given', async () => {
    await using folder = await filledFolder()
    assert.equal((await folder.run(['currency', 'set', 'DEM', '--rate', '1.95583'])).exitCode, 3)
    const args = ['currency', 'set', 'DEM', '--rate', '1.95583', '--title', 'German Mark', '--sign', 'DM']
    assert.equal((await folder.run(args)).exitCode, 0)
    assert.equal((await recordOf(folder, 'DEM')).title, 'German Mark')
  })

  it('moves the default, one at a time', async () => {
    await using folder = await filledFolder()
    assert.equal((await folder.run(['currency', 'default', 'USD'])).exitCode, 0)
    const all = JSON.parse((await folder.run(['currency', 'list', '--all', '--json'])).stdout) as Currency[]
    assert.deepEqual(
      all.filter(({ is_default }) => is_default).map(({ code }) => code),
      ['USD'],
    )
    assert.equal((await folder.run(['currency', 'default', 'XAU'])).exitCode, 1)
    assert.equal((await folder.run(['currency', 'default', 'DEM'])).exitCode, 3)
    assert.equal((await folder.run(['currency', 'set', 'USD', '--no-active'])).exitCode, 1)
  })

  for (const args of [
    ['set', 'EUR', '--rate', '2'],
    ['set', 'CHF', '--rate', '-1'],
    ['set', 'CHF', '--rate', '0'],
    ['set', 'CHF', '--rate', '1e3'],
    ['set', 'CHF', '--sign', ' '],
    ['set', 'CHF', '--title', 'x'.repeat(101)],
    ['set', 'CHF'],
    ['set', 'chf', '--rate', '1'],
    ['show', '__proto__'],
    ['default'],
    ['import'],
  ]) {
    it(`does not understand "currency ${args.join(' ').slice(0, 40)}"`, async () => {
      await using folder = await cliFolder()
      const { exitCode, stdout, stderr } = await folder.run(['currency', ...args])
      assert.equal(exitCode, 2)
      assert.equal(stdout, '')
      assert.match(stderr, /^fanlight: [^\n]+\n$/)
    })
  }
})

describe('fanlight currency import', () => {
  it('imports a daily file', async () => {
    await using folder = await filledFolder()
    await writeFile(join(folder.path, 'daily.xml'), dailyFile(["<Cube currency='USD' rate='1.0842'/>"]))
    const { stdout, exitCode } = await folder.run(['currency', 'import', 'daily.xml'])
    assert.equal(exitCode, 0)
    assert.match(stdout, /^1 rates of 2026-11-20 imported\.\n154 active currencies/)
    assert.equal((await recordOf(folder, 'USD')).rate, '1.0842')
  })

  it('names line and value of a bad file, ends with 1 and changes nothing', async () => {
    await using folder = await filledFolder()
    const cubes = ["<Cube currency='USD' rate='1.0842'/>", "<Cube currency='JPY' rate='-5'/>"]
    await writeFile(join(folder.path, 'bad.xml'), dailyFile(cubes))
    const { stderr, exitCode } = await folder.run(['currency', 'import', 'bad.xml'])
    assert.equal(exitCode, 1)
    assert.match(stderr, /^fanlight: bad\.xml: Line 10: the rate of JPY is "-5"; .*\n$/)
    assert.equal((await recordOf(folder, 'USD')).rate, '1.1435')
  })

  it('says what is wrong with a file that cannot be read', async () => {
    await using folder = await filledFolder()
    await mkdir(join(folder.path, 'folder'))
    await writeFile(join(folder.path, 'latin1.xml'), Buffer.from([0x3c, 0xe4, 0x3e]))
    await writeFile(join(folder.path, 'big.xml'), Buffer.alloc(1_000_001, 32))
    for (const [file, code, message] of [
      ['missing.xml', 3, /there is no file missing\.xml/],
      ['folder', 1, /it is a directory/],
      ['latin1.xml', 1, /not UTF-8/],
      ['big.xml', 1, /more than 1000000 bytes/],
      ['/dev/zero', 1, /more than 1000000 bytes/],
    ] as const) {
      const run = await folder.run(['currency', 'import', file])
      assert.equal(run.exitCode, code)
      assert.match(run.stderr, message)
    }
  })
})
