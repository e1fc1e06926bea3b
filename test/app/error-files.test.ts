// `APP_ERROR_FILES`: each error of the server as one file, in development and in production.

import assert from 'node:assert/strict'
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { text } from '../../src/index.ts'
import { pageText, shopRoutes, startApp, type RunningApp } from '../support/running-app.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'

async function start(folder: string, env: Readonly<Record<string, string>> = {}): Promise<RunningApp> {
  const routes = shopRoutes()
  routes.get('hostile', '/hostile', () => {
    throw new Error('../../etc/passwd <script>alert(1)</script> Authorization: Bearer canary-0123456789')
  })
  routes.get('numbered', '/numbered/{name}', ({ request: { params } }) => {
    if (params.name === 'fine') return text('fine')
    throw Object.assign(new Error('no'), { name: `Error${params.name}` })
  })
  return startApp({ routes, env: { APP_ERROR_FILES: folder, ...env } })
}

const minuteOfNow = (): number => Math.floor(Date.now() / 60_000)

describe('APP_ERROR_FILES', () => {
  it('keeps one file of each family, masked, that opens alone', async (test) => {
    const folder = join(makeTemporaryDirectory(test), 'var/errors')
    await using app = await start(folder)
    for (const target of ['/error', '/error', '/hostile', '/nowhere', '/products']) await app.send({ target })
    const names = (await readdir(folder)).sort()
    assert.equal(names.length, 2)
    for (const name of names) {
      assert.match(name, /^[\w-]+-[0-9a-f]{10}\.html$/)
      assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600)
      const page = await readFile(join(folder, name), 'utf8')
      assert.match(page, /<meta http-equiv="content-security-policy" content="default-src 'none'/)
      assert.doesNotMatch(page, /canary|<script>alert|_profiler|(?:src|href)="(?:https?:)?\//)
    }
    const pages = await Promise.all(names.map(async (name) => readFile(join(folder, name), 'utf8')))
    assert.ok(pages.some((page) => /outer trouble[\s\S]*inner trouble/.test(pageText(page))))
  })

  it('is written in production without source, and the client sees the quiet page', async (test) => {
    const folder = makeTemporaryDirectory(test)
    await using app = await start(folder, { APP_ENV: 'prod', APP_DEBUG: '0', APP_ALLOWED_HOSTS: '127.0.0.1' })
    const { status, body } = await app.send({ target: '/error' })
    assert.equal(status, 500)
    assert.doesNotMatch(body, /outer trouble/)
    const [name = ''] = await readdir(folder)
    const page = pageText(await readFile(join(folder, name), 'utf8'))
    assert.match(page, /outer trouble[\s\S]*running-app\.ts:\d+/)
    assert.doesNotMatch(page, /throw new Error/)
  })

  it('keeps the newest hundred files, leaves others alone, and writes ten families in a minute', async (test) => {
    let folder = ''
    // Tried again where the next minute has begun meanwhile.
    for (let [begun, ended] = [0, 1]; begun !== ended; ended = minuteOfNow()) {
      folder = makeTemporaryDirectory(test)
      for (let index = 0; index < 105; index += 1) {
        const path = join(folder, `Old-${index.toString(16).padStart(10, '0')}.html`)
        await writeFile(path, 'old')
        await utimes(path, index, index)
      }
      await writeFile(join(folder, 'notes.txt'), 'mine')
      await using app = await start(folder)
      begun = minuteOfNow()
      const targets = Array.from({ length: 12 }, (_, index) => `/numbered/${'x'.repeat(index)}y`)
      await Promise.all(targets.map((target) => app.send({ target })))
    }
    const names = await readdir(folder)
    assert.equal(names.length, 101)
    assert.ok(names.includes('notes.txt') && !names.includes('Old-0000000000.html'))
    assert.equal(names.filter((name) => name.startsWith('Error')).length, 10)
  })

  it('says in the log that a folder cannot be written, and still responds', async (test) => {
    const folder = join(makeTemporaryDirectory(test), 'file')
    await writeFile(folder, 'not a folder')
    await using app = await start(folder)
    for (const target of ['/error', '/hostile']) assert.equal((await app.send({ target })).status, 500)
    const said = app.log.lines.filter(({ message }) => message.startsWith('Errors are not kept as files'))
    assert.equal(said.length, 1)
    assert.equal((await app.send({ target: '/numbered/fine' })).status, 200)
  })
})
