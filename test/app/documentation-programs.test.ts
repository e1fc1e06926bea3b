// Runs every program of the documentation and compares what it prints and responds with what the page shows.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync } from 'node:fs'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { blocksOf, isOwnFile, pages, root } from '../support/documentation.ts'
import { hasPrograms, installSources, loadFiles, needsDatabase, runPage } from '../support/page-programs.ts'
import { removeDirectory } from '../support/temporary-directory.ts'
import { isLike, transcriptsOf } from '../support/transcript.ts'

describe('the programs of README.md and docs/', { concurrency: 2 }, () => {
  mkdirSync(path.join(root, 'var'), { recursive: true })
  const folder = mkdtempSync(path.join(root, 'var/programs-'))
  after(() => removeDirectory(folder))
  installSources(folder)
  // Pages that need a database are in `postgresql/recipe.test.ts`, which is left out where there is none.
  for (const page of pages.filter((name) => hasPrograms(name) && !needsDatabase(name))) {
    it(`${page} shows what happens`, () => runPage(page, path.join(folder, page.replaceAll(/\W/g, '-'))))
  }
})

it('the other files of README.md and docs/: load and start', async (test) => {
  mkdirSync(path.join(root, 'var'), { recursive: true })
  const folder = mkdtempSync(path.join(root, 'var/files-'))
  test.after(() => removeDirectory(folder))
  installSources(folder)
  await loadFiles(
    pages.filter((name) => blocksOf(name).some(isOwnFile)),
    folder,
  )
})

describe('what a page shows', () => {
  it('is the text, but for …', () => {
    assert.ok(isLike('one\ntwo\nthree\n', 'one\n…\n'))
    assert.ok(isLike('Listening on http://127.0.0.1:8000\n', 'Listening on …'))
    assert.ok(isLike('token         ms\n4k1x  12.4\n', 'token  ms\n…  …\n'))
    assert.ok(!isLike('one\ntwo\n', 'one\n'))
    assert.ok(!isLike('one\ntwo\n', 'o…'))
  })

  it('is a request and a response', () => {
    const [first, second] = transcriptsOf(
      'POST /a\ncontent-type: text/plain\n\nHello\n\nHTTP/1.1 201 Created\n\nThere\n###\nGET /b\n\nHTTP/1.1 204 No Content\n',
      'a.md:1',
    )
    assert.deepEqual(first, {
      method: 'POST',
      target: '/a',
      headers: [['content-type', 'text/plain']],
      body: 'Hello',
      response: { statusLine: 'HTTP/1.1 201 Created', headers: [], body: 'There' },
    })
    assert.equal(second?.response.body, undefined)
    assert.throws(() => transcriptsOf('GET /a\n', 'a.md:1'), /a\.md:1: a transcript has a request/)
  })
})
