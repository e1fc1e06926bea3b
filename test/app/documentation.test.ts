import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** The anchor that a heading of Markdown gets. */
const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')

describe('README.md', () => {
  it('shows examples/minimal.ts as it is, but for the address of the import', () => {
    const shown = /```ts\n([\s\S]*?)```/.exec(read('README.md'))?.[1]
    const example = read('examples/minimal.ts').replace(/^\/\/.*\n\n?/gm, '')
    assert.equal(shown, example.replace("'../src/index.ts'", "'fanlight'"))
  })

  it('links to nothing that is not there', () => {
    for (const [, link = ''] of read('README.md').matchAll(/\]\((?!https?:|#|docs\/images\/)([^)]+)\)/g)) {
      if (link.endsWith('/')) continue
      const [path = '', anchor] = link.split('#')
      const anchors = [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => anchorOf(title))
      assert.ok(anchor === undefined || anchors.includes(anchor), link)
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
