import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { referencePages } from '../../scripts/reference/write-reference.ts'
import { blocksOf } from '../support/documentation.ts'
import { anchorOf } from '../../site/markdown.ts'
import { profilerRoutes } from '../../src/app/profiler-routes.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => referenceAt(path) ?? readFileSync(join(root, path), 'utf8')

/** The pages of the API are made from the sources; they need not be there as files. */
const reference = referencePages(root)
const referenceAt = (path: string): string | undefined =>
  path.startsWith('docs/reference/api/') ? reference.get(path.slice('docs/reference/api/'.length)) : undefined

/** Anchors of the headings of a page. */
const anchorsOf = (path: string): string[] =>
  [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => anchorOf(title))

describe('README.md', () => {
  it('shows examples/minimal.ts as it is, but for the address of the import', () => {
    const shown = /```ts run\n([\s\S]*?)```/.exec(read('README.md'))?.[1]
    const example = read('examples/minimal.ts').replace(/^\/\/.*\n\n?/gm, '')
    assert.equal(shown, example.replace("'../src/index.ts'", "'fanlight'"))
  })

  it('links to nothing that is not there', () => {
    for (const [, link = ''] of read('README.md').matchAll(/\]\((?!https?:|#|docs\/images\/)([^)]+)\)/g)) {
      if (link.endsWith('/')) continue
      const [path = '', anchor] = link.split('#')
      assert.ok(existsSync(join(root, path)), link)
      assert.ok(anchor === undefined || anchorsOf(path).includes(anchor), link)
    }
  })
})

it('docs/start/tutorial.md: has the tsconfig.json of a new application, whose types a test checks', () => {
  const shown = blocksOf('docs/start/tutorial.md').find(({ file }) => file === 'tsconfig.json')?.code
  assert.equal(shown, read('create-fanlight/templates/common/tsconfig.json'))
})

it('docs/project/dependencies.md: has every dependency', () => {
  const page = read('docs/project/dependencies.md')
  const { dependencies, devDependencies } = JSON.parse(read('package.json')) as {
    dependencies: Record<string, string>
    devDependencies: Record<string, string>
  }
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) assert.ok(page.includes(`\`${name}\``), name)
})

describe('test/features.md', () => {
  it('names tests that are there', () => {
    const named = [...read('test/features.md').matchAll(/`([^`\s]+\.ts)`/g)].map(([, path = '']) => path)
    assert.notEqual(named.length, 0)
    assert.deepEqual(
      named.filter((path) => globSync(path, { cwd: join(root, 'test') }).length === 0),
      [],
    )
  })

  it('says of every feature what shows it, or that it is not done', () => {
    const rows = read('test/features.md').match(/^\|.*\|$/gm) ?? []
    const empty = rows.filter((row) => !/\.ts`|not done|in each of the suites above|the same|feature \||^\|-/.test(row))
    assert.deepEqual(empty, [])
  })
})

describe('docs/', () => {
  for (const page of globSync('docs/**/*.md', { cwd: root, exclude: ['docs/reference/api/**'] }).sort()) {
    it(`${page} names files and headings that are there`, () => {
      for (const [, link = ''] of read(page).matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
        const [path = '', anchor] = link.split('#')
        const target = path === '' ? page : join(dirname(page), path)
        assert.ok(referenceAt(target) !== undefined || existsSync(join(root, target)), link)
        if (anchor !== undefined) assert.ok(anchorsOf(target).includes(anchor), link)
      }
      const own = new Set(blocksOf(page).map(({ file }) => file))
      for (const [, path = ''] of read(page).matchAll(/`((?:src|app|test|bench|scripts|examples|docs)\/[^`\s<…]*)`/g)) {
        const places = [path, `create-fanlight/templates/*/${path}`]
        assert.ok(own.has(path) || globSync(places, { cwd: root }).length > 0, path)
      }
    })
  }
})

it('addresses of the profiler: are named as they are', () => {
  const front = async (): Promise<never> => assert.fail('is not asked')
  const handlers = { page: front, serve: front, receive: front }
  const paths = profilerRoutes(handlers, '/_profiler')
    .all()
    .map(({ path }) => path)
  const pages = new Set(['index', ...paths.map((path) => /^\/_profiler\/([a-z0-9-]*)/.exec(path)?.[1] ?? '')])
  const text = ['README.md', ...globSync('docs/**/*.md', { cwd: root, exclude: ['docs/reference/api/**'] })]
    .map(read)
    .join('\n')
  const named = [...text.matchAll(/\/_profiler\/([a-z][a-z0-9-]*)/g)].map(([, name = '']) => name)
  assert.deepEqual(
    named.filter((name) => !pages.has(name) && !/^[a-z0-9]{10,16}$/.test(name)),
    [],
  )
})
