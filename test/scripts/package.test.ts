// What `npm pack` would take: its texts link to nothing that stays behind, and its manifest names where the project is published.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { basename, join, normalize } from 'node:path'
import { after, describe, it } from 'node:test'
import { manifests, projectAddress, readManifest, withAddress } from '../../scripts/project-address.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'

// A copy of what is written by hand: a build may be under way beside the tests.
const copy = makeTemporaryDirectory({ after })
for (const path of ['package.json', 'README.md', 'SECURITY.md', 'LICENSE', 'docs', 'examples'])
  cpSync(path, join(copy, path), {
    recursive: true,
    filter: (from) => basename(from) !== 'node_modules' && from !== join('docs', 'reference', 'api'),
  })
const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
  cwd: copy,
  encoding: 'utf8',
})
const [report] = Object.values(JSON.parse(stdout) as Record<string, { files: { path: string }[] }>)
const packed: readonly string[] = (report?.files ?? []).map(({ path }) => path)

it('the packed files: link to packed files', () => {
  const texts = packed.filter((path) => path.endsWith('.md'))
  assert.ok(texts.includes('README.md') && texts.includes('docs/guides/handlers.md'))
  const dead = texts.flatMap((path) =>
    // Pictures stay behind: they are larger than all the rest.
    [...readFileSync(path, 'utf8').matchAll(/(?<!!\[[^\]]*)\]\((?!\w+:|#)([^)#\s]+)/g)]
      .map(([, link = '']) => normalize(join(path, '..', link)))
      .filter((target) => !packed.some((other) => other === target || other.startsWith(join(target, '/'))))
      .map((target) => `${path}: ${target}`),
  )
  assert.deepEqual(dead, [])
})

describe('the address of the project', () => {
  it('is in each manifest as scripts/project-address.ts writes it', () => {
    for (const [file, directory] of Object.entries(manifests))
      assert.deepEqual(readManifest(file), withAddress(readManifest(file), projectAddress, directory), file)
  })

  it('gives repository, homepage and bugs', () => {
    const address = 'https://example.org/shop/fanlight'
    assert.deepEqual(withAddress({ name: 'fanlight', bugs: 'old' }, address, ''), {
      name: 'fanlight',
      homepage: `${address}#readme`,
      bugs: `${address}/issues`,
      repository: { type: 'git', url: `git+${address}.git` },
    })
    assert.deepEqual(withAddress({}, address, 'create-fanlight')['repository'], {
      type: 'git',
      url: `git+${address}.git`,
      directory: 'create-fanlight',
    })
    assert.deepEqual(withAddress({ name: 'fanlight', homepage: 'old' }, '', ''), { name: 'fanlight' })
  })
})
