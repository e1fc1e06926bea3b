import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { cliFolder, type CliFolder, type CliRun } from '../support/cli-run.ts'
import { writeSoundRoutes } from '../support/routes-project.ts'
import { pick } from '../support/pick.ts'

let folder: CliFolder
before(async () => {
  folder = await cliFolder()
  await writeSoundRoutes(folder)
})
after(async () => folder[Symbol.asyncDispose]())

const url = async (...args: readonly string[]): Promise<CliRun> =>
  folder.spawn(['url', ...args, '--module', 'sound.ts'])

describe('fanlight url', () => {
  it('makes the URL of a route; what is not a parameter goes to the query', async () => {
    const runs = await Promise.all([
      url('product', 'slug=black tea', 'q=a=b'),
      url('page'),
      url('home', '--absolute'),
      url('order', 'shop=north', 'id=7'),
      url('product', 'slug=tea', '--absolute', '--json'),
    ])
    assert.deepEqual(pick(runs.slice(0, 4), 'stdout'), [
      '/products/black%20tea?q=a%3Db\n',
      '/page\n',
      'http://127.0.0.1:8000/\n',
      'https://north.example.org/orders/7\n',
    ])
    assert.deepEqual(JSON.parse(runs[4]?.stdout ?? ''), {
      name: 'product',
      params: { slug: 'tea' },
      url: 'http://127.0.0.1:8000/products/tea',
    })
    assert.deepEqual(new Set(runs.map(({ exitCode, stderr }) => `${exitCode}${stderr}`)), new Set(['0']))
  })

  it('names near routes and parameters for those that are not there', async () => {
    const cases = [
      [['produkt', 'slug=tea'], 3, /no route "produkt".*Did you mean "product"\?/],
      [['product', 'slgu=tea'], 2, /needs "slug"; given: "slgu"\. Did you mean slug=… where you wrote slgu=…\?/],
      [['product'], 2, /needs "slug"; none were given/],
      [['order', 'shop=north', 'id=x'], 2, /Parameter "id" .* must match "\\d\+", but is "x"/],
      [['product', 'slug'], 2, /parameter: "slug" is not valid\. Use key=value\./],
      [['product', 'slug=a', 'slug=b'], 2, /parameter: "slug=b" is not valid\. Use each key once\./],
    ] as const
    const runs = await Promise.all(cases.map(([args]) => url(...args)))
    for (const [index, [args, exitCode, message]] of cases.entries()) {
      assert.deepEqual([runs[index]?.exitCode, runs[index]?.stdout], [exitCode, ''], args.join(' '))
      assert.match(runs[index]?.stderr ?? '', message)
      assert.match(runs[index]?.stderr ?? '', /^fanlight: [^\n]+\n$/)
    }
  })
})
