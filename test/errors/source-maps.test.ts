// Places in compiled code lead to the source they were made from.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { SourceFiles } from '../../src/errors/source-files.ts'
import { SourceMaps, mappingUrl, StackFrames } from '../../src/errors/stack-frames.ts'

let root = ''
before(() => void (root = realpathSync(mkdtempSync(join(tmpdir(), 'maps-')))))
after(() => rmSync(root, { recursive: true }))

function write(path: string, content: string): string {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
  return path
}

// Line 1, column 1 of the compiled code comes from line 1, column 1 of the source; line 2, column 3 from line 5, column 7.
const mappings = 'AAAA;EAIM'

function mapOf(facts: object): string {
  return JSON.stringify({ version: 3, names: [], sources: ['../src/app.ts'], mappings, ...facts })
}

const code = 'first()\n  second()\n'
const find = (path: string): unknown => new SourceMaps(new SourceFiles(root)).find(path, 2, 3)
const inSource = (location: string): object => ({ location, line: 5, column: 7 })

describe('SourceMaps', () => {
  it('reads a map beside the file', () => {
    write('dist/beside.js.map', mapOf({}))
    assert.deepEqual(
      find(write('dist/beside.js', `${code}//# sourceMappingURL=beside.js.map\n`)),
      inSource('src/app.ts'),
    )
  })

  it('reads a map inside the file, as base64 and as text', () => {
    const base64 = Buffer.from(mapOf({})).toString('base64')
    const inline = `${code}//# sourceMappingURL=data:application/json;charset=utf-8;base64,${base64}`
    assert.deepEqual(find(write('dist/inline.js', inline)), inSource('src/app.ts'))
    const text = `${code}//# sourceMappingURL=data:application/json,${encodeURIComponent(mapOf({}))}`
    assert.deepEqual(find(write('dist/text.js', text)), inSource('src/app.ts'))
  })

  it('follows sourceRoot', () => {
    write('dist/rooted.js.map', mapOf({ sourceRoot: '../src/', sources: ['deep/app.ts'] }))
    assert.deepEqual(
      find(write('dist/rooted.js', `${code}//# sourceMappingURL=rooted.js.map`)),
      inSource('src/deep/app.ts'),
    )
  })

  it('follows sections', () => {
    const map = { version: 3, names: [], sources: ['../src/b.ts'], mappings: 'EAIM' }
    const sections = [{ offset: { line: 1, column: 0 }, map }]
    write('dist/parts.js.map', JSON.stringify({ version: 3, sections }))
    assert.deepEqual(find(write('dist/parts.js', `${code}//# sourceMappingURL=parts.js.map`)), inSource('src/b.ts'))
  })

  it('names the sources of bundlers by their path in the project', () => {
    for (const source of [
      'webpack://shop/./src/cart.ts',
      'webpack:///./src/cart.ts?a1b2',
      'webpack://shop/src/cart.ts',
    ]) {
      write('dist/bundle.js.map', mapOf({ sources: [source] }))
      assert.deepEqual(
        find(write('dist/bundle.js', `${code}//# sourceMappingURL=bundle.js.map`)),
        inSource('src/cart.ts'),
      )
    }
  })

  it('passes over a guard before the JSON', () => {
    write('dist/guarded.js.map', `)]}'\n${mapOf({})}`)
    assert.deepEqual(
      find(write('dist/guarded.js', `${code}//# sourceMappingURL=guarded.js.map`)),
      inSource('src/app.ts'),
    )
  })

  it('finds nothing without a map, with a broken one, with one elsewhere', () => {
    assert.equal(find(write('dist/none.js', code)), null)
    assert.equal(find(write('dist/missing.js', `${code}//# sourceMappingURL=nowhere.js.map`)), null)
    write('dist/broken.js.map', '{"version":3,"mappings":')
    assert.equal(find(write('dist/broken.js', `${code}//# sourceMappingURL=broken.js.map`)), null)
    assert.equal(find(write('dist/odd.js', `${code}//# sourceMappingURL=data:application/json;base64,!!!`)), null)
    for (const url of [
      'http://127.0.0.1:9/a.js.map',
      'file:///etc/passwd',
      '/etc/passwd',
      '../../../etc/hosts.map',
      '../.env',
      '%zz.map',
    ]) {
      assert.equal(find(write('dist/elsewhere.js', `${code}//# sourceMappingURL=${url}`)), null, url)
    }
  })

  it('finds nothing for a place the map does not know, and for sources run directly', () => {
    write('dist/beside.js.map', mapOf({}))
    write('dist/beside.js', `${code}//# sourceMappingURL=beside.js.map\n`)
    assert.equal(new SourceMaps(new SourceFiles(root)).find('dist/beside.js', 99, 1), null)
    assert.equal(new SourceMaps(new SourceFiles(root)).find('src/app.ts', 2, 3), null)
  })
})

it('mappingUrl: takes the last one', () => {
  const line = (url: string): string => ['//# source', `MappingURL=${url}\n`].join('')
  assert.equal(mappingUrl(`${line('a.map')}x()\n${line('b.map')}`), 'b.map')
  assert.equal(mappingUrl('x()'), null)
})

describe('StackFrames with source maps', () => {
  it('shows position and source of the TypeScript file', () => {
    write('src/app.ts', 'one\ntwo\nthree\nfour\nconst x = second()\nsix\n')
    write('dist/app.js.map', mapOf({}))
    write('dist/app.js', `${code}//# sourceMappingURL=app.js.map`)
    const [frame] = new StackFrames(root).read(`    at run (${root}/dist/app.js:2:3)`, '', {
      maxFrames: 5,
      maxExcerpts: 5,
    })
    assert.deepEqual([frame?.file, frame?.line, frame?.column, frame?.origin], ['src/app.ts', 5, 7, 'own'])
    assert.equal(frame?.excerpt?.startLine, 1)
  })

  it('shows a source outside the project as a position and never reads it', () => {
    for (const source of [
      '../../outside/secret.ts',
      '/etc/passwd',
      'file:///etc/hosts.ts',
      'https://h/a.ts',
      '../.env',
      '../keys/server.key',
    ]) {
      write('.env', 'SECRET=1')
      write('keys/server.key', 'PRIVATE')
      write('dist/out.js.map', mapOf({ sources: [source], sourcesContent: ['SECRET'] }))
      write('dist/out.js', `${code}//# sourceMappingURL=out.js.map`)
      const [frame] = new StackFrames(root).read(`    at run (${root}/dist/out.js:2:3)`, '', {
        maxFrames: 5,
        maxExcerpts: 5,
      })
      assert.deepEqual([frame?.line, frame?.origin, frame?.excerpt], [5, 'own', null], source)
    }
  })

  it('finds the throw in a file that tsc compiled', () => {
    const source =
      'interface Cart { total: number }\n\nexport function pay(cart: Cart | undefined): number {\n  return cart!.total\n}\n'
    write('real/pay.ts', source)
    const args = [
      '--target',
      'es2022',
      '--module',
      'esnext',
      '--sourceMap',
      '--outDir',
      'out',
      '--ignoreConfig',
      'real/pay.ts',
    ]
    const tsc = join(process.cwd(), 'node_modules/typescript/bin/tsc')
    const compiled = spawnSync(process.execPath, [tsc, ...args], { cwd: root, encoding: 'utf8' })
    assert.equal(compiled.status, 0, compiled.stdout + compiled.stderr)
    const script = `import(${JSON.stringify(pathToFileURL(join(root, 'out/pay.js')).href)}).then((m) => m.pay(undefined)).catch((e) => console.log(e.stack))`
    const { stdout } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' })
    const [frame] = new StackFrames(root).read(stdout, '', { maxFrames: 5, maxExcerpts: 5 })
    assert.deepEqual([frame?.file, frame?.line, frame?.column], ['real/pay.ts', 4, 16])
  })
})
