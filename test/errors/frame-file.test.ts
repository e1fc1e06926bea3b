// Whose code a place is, and how its file is named.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { frameFile, normalizeRoot, pathOfUrl } from '../../src/errors/frame-file.ts'

describe('frameFile', () => {
  const root = '/home/ann/shop'
  const rows: readonly (readonly [location: string, file: string, origin: string])[] = [
    ['/home/ann/shop/src/a.ts', 'src/a.ts', 'own'],
    ['file:///home/ann/shop/src/a.ts', 'src/a.ts', 'own'],
    ['file:///home/ann/shop/src/a.ts?v=1', 'src/a.ts', 'own'],
    ['file:///home/ann/shop/my%20src/a.ts', 'my src/a.ts', 'own'],
    ['file:///home/ann/shop/%zz.ts', '%zz.ts', 'own'],
    ['/home/ann/shop/node_modules/pg/lib/client.js', 'node_modules/pg/lib/client.js', 'dependency'],
    [
      '/home/ann/shop/node_modules/.pnpm/pg@8/node_modules/pg/lib/client.js',
      'node_modules/pg/lib/client.js',
      'dependency',
    ],
    ['/opt/lib/node_modules/tool/cli.js', 'node_modules/tool/cli.js', 'dependency'],
    ['node:internal/timers', 'node:internal/timers', 'node'],
    ['<anonymous>', '<anonymous>', 'node'],
    ['index 0', '<anonymous>', 'node'],
    ['native', '<anonymous>', 'node'],
    ['/home/ann/shared/b.ts', '../shared/b.ts', 'dependency'],
    ['/home/ann/shop/../shared/b.ts', '../shared/b.ts', 'dependency'],
    ['/home/bob/secret-project/src/b.ts', '…/src/b.ts', 'dependency'],
    ['/home/ann/shopping/b.ts', '../shopping/b.ts', 'dependency'],
    ['https://example.org/a.js?token=1', 'https://example.org/a.js', 'dependency'],
  ]
  for (const [location, file, origin] of rows) {
    it(`names ${location}`, () => {
      const found = frameFile(location, root)
      assert.deepEqual([found.file, found.origin], [file, origin])
    })
  }

  it('names files of a Windows project', () => {
    const windows = normalizeRoot(String.raw`C:\shop` + '\\')
    assert.equal(windows, 'C:/shop')
    assert.deepEqual(frameFile(String.raw`C:\shop\src\a.ts`, windows), {
      file: 'src/a.ts',
      origin: 'own',
      path: 'C:/shop/src/a.ts',
    })
    assert.equal(frameFile('file:///C:/shop/src/a.ts', windows).file, 'src/a.ts')
    assert.equal(frameFile(String.raw`C:\shop\node_modules\pg\a.js`, windows).file, 'node_modules/pg/a.js')
  })
})

it('pathOfUrl: decodes, and drops query and fragment', () =>
  assert.equal(pathOfUrl('file:///a%20b/c.ts?x#y'), '/a b/c.ts'))
