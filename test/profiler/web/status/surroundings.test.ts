import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { readSurroundings } from '../../../../src/analysis/questions/status.ts'
import { pageText } from '../../../support/page-text.ts'
import { startApp } from '../../../support/running-app.ts'
import { makeTemporaryDirectory } from '../../../support/temporary-directory.ts'

function write(folder: string, content: object): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify(content))
}

describe('readSurroundings', () => {
  it('names packages as they are installed, in the folder or above it, and variables without values', async (test) => {
    const directory = makeTemporaryDirectory(test)
    const project = join(directory, 'shop')
    write(project, {
      dependencies: { pg: '^8.0.0', '@acme/prices': '*', missing: '1' },
      optionalDependencies: { redis: '^6.0.0' },
      devDependencies: { typescript: '7' },
    })
    write(join(project, 'node_modules/pg'), { version: '8.23.1' })
    write(join(project, 'node_modules/@acme/prices'), { version: '1.0.0-beta' })
    write(join(directory, 'node_modules/redis'), { version: '6.3.1' })
    const { packages, environmentNames, omitted } = await readSurroundings(project, { PATH: 'x', API_KEY: 'geheim-7' })
    assert.deepEqual(packages, [
      { name: '@acme/prices', version: '1.0.0-beta' },
      { name: 'missing', version: null },
      { name: 'pg', version: '8.23.1' },
      { name: 'redis', version: '6.3.1' },
    ])
    assert.deepEqual([environmentNames, omitted], [['API_KEY', 'PATH'], 0])
  })

  it('names none where there is no package.json, or it holds something else', async (test) => {
    const directory = makeTemporaryDirectory(test)
    assert.deepEqual((await readSurroundings(directory, {})).packages, [])
    for (const content of [
      '[]',
      'null',
      '{"dependencies":"pg"}',
      'no json',
      '{"dependencies":{"../../etc":"1","a/../b":"1"}}',
    ]) {
      writeFileSync(join(directory, 'package.json'), content)
      assert.deepEqual(
        (await readSurroundings(directory, {})).packages.filter(({ name }) => name.includes('/')),
        [],
      )
    }
  })

  it('has bounds, and says how many it left out', async (test) => {
    const directory = makeTemporaryDirectory(test)
    write(directory, {
      dependencies: Object.fromEntries(Array.from({ length: 230 }, (_, index) => [`p${index}`, '1'])),
    })
    const environment = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`N${index}`, 'x']))
    const { packages, environmentNames, omitted } = await readSurroundings(directory, environment)
    assert.deepEqual([packages.length, environmentNames.length, omitted], [200, 500, 130])
  })

  it('is on the status page in three forms, with no value of a variable', async () => {
    process.env['FANLIGHT_TEST_SECRET'] = 'geheim-7'
    try {
      await using app = await startApp()
      for (const ending of ['', '.json', '.md']) {
        const { body } = await app.send({ target: `/_profiler/status${ending}` })
        assert.match(body, /FANLIGHT_TEST_SECRET/, ending)
        assert.doesNotMatch(body, /geheim-7/, ending)
      }
      const { body } = await app.send({ target: '/_profiler/status' })
      assert.match(pageText(body), /Packages \d+ dependencies in package\.json[^]*valibot \d+\.\d+\.\d+/)
      assert.match(pageText(body), /\d+ names; values are not shown/)
    } finally {
      delete process.env['FANLIGHT_TEST_SECRET']
    }
  })
})
