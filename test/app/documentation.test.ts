import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

describe('README.md', () => {
  it('shows examples/minimal.ts as it is, but for the address of the import', () => {
    const shown = /```ts\n([\s\S]*?)```/.exec(read('README.md'))?.[1]
    const example = read('examples/minimal.ts').replace(/^\/\/.*\n\n?/gm, '')
    assert.equal(shown, example.replace("'../src/index.ts'", "'fanlight'"))
  })

  it('links to nothing that is not there', () => {
    for (const [, path = ''] of read('README.md').matchAll(/\]\((?!https?:|#|docs\/images\/)([^)]+)\)/g)) {
      if (path.endsWith('/')) continue
      assert.ok(read(path).length > 0, path)
    }
  })
})

describe('docs/dependencies.md', () => {
  it('has every dependency in its version', () => {
    const page = read('docs/dependencies.md')
    const { dependencies, devDependencies } = JSON.parse(read('package.json')) as {
      dependencies: Record<string, string>
      devDependencies: Record<string, string>
    }
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      assert.ok(page.includes(`\`${name}\` ${version}`), `${name} ${version}`)
    }
  })
})
