// Commands in a folder whose application another framework serves: they use its settings, and the lock keeps to those of this library.

import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { openEngine } from '../../src/app/open-engine.ts'
import { cliFolder } from '../support/cli-run.ts'
import { makeProfile } from '../support/profiles.ts'
import { register } from '../support/registered-app.ts'
import { runNode } from '../support/running-process.ts'

const ofApplication = { APP_ENV: 'local', APP_DEBUG: 'true', APP_STORE: 'local', APP_VERSION: '1.0 beta' }
const manifest = JSON.stringify({ dependencies: { express: '^5.0.0', fanlight: '*' } })

describe('fanlight in a folder of another framework', () => {
  it('finds the store of the application, by its package.json or by a setting, whatever APP_ variables there are', async () => {
    await using folder = await cliFolder()
    const listed = async (): Promise<readonly string[]> => {
      const { exitCode, stdout, stderr } = await folder.run(['profiles', 'list', '--json'], { env: ofApplication })
      assert.deepEqual([exitCode, stderr], [0, ''])
      return (JSON.parse(stdout) as { items: { token: string }[] }).items.map(({ token }) => token)
    }
    for (const [file, text, store, token] of [
      ['package.json', manifest, 'var/fanlight.db', 'tokenofdefault'],
      ['.env', 'FANLIGHT_STORE=sqlite:own.db\nAPP_STORE=redis://nowhere', 'own.db', 'tokenofsetting'],
    ] as const) {
      writeFileSync(join(folder.path, file), text)
      const engine = await openEngine(`sqlite:${join(folder.path, store)}`)
      await engine.profiles.write([makeProfile({ token })])
      await engine.close()
      assert.deepEqual(await listed(), [token])
    }
  })

  it('names its settings, and records programs in development only', async () => {
    await using folder = await cliFolder()
    writeFileSync(join(folder.path, 'package.json'), manifest)
    const sign = await folder.run(['profiles', 'sign'], { env: ofApplication })
    assert.match(sign.stderr, /FANLIGHT_RECORD_SECRET is not set/)
    const memory = { ...ofApplication, FANLIGHT_STORE: 'memory:' }
    assert.match((await folder.run(['errors'], { env: memory })).stderr, /^fanlight: FANLIGHT_STORE is "memory:"/)
    const wrong = { ...ofApplication, FANLIGHT_STORE: 'ftp://x' }
    assert.match(
      (await folder.run(['profiles', 'list'], { env: wrong })).stderr,
      /FANLIGHT_STORE="ftp:\/\/x" cannot be used/,
    )
    const run = ['run', '--', process.execPath, '-e', '0']
    assert.equal((await folder.run(run, { env: ofApplication })).stderr, '')
    assert.match((await folder.run(run, { env: { ...ofApplication, NODE_ENV: 'local' } })).stderr, /profile \w+/)
  })

  it('leaves the lock to the settings of this library', async () => {
    await using folder = await cliFolder()
    writeFileSync(join(folder.path, 'package.json'), manifest)
    const env = { FANLIGHT_STORE: `sqlite:${join(folder.path, 'other.db')}` }
    assert.equal((await folder.run(['lock', 'on'], { env })).exitCode, 0)
    const { lock } = await folder.engine()
    assert.equal((await lock.read())?.value, 1)
  })

  it('asks the application that runs there, and none that has ended', async () => {
    await using folder = await cliFolder()
    writeFileSync(join(folder.path, 'package.json'), manifest)
    const urlOf = (name: string): string => pathToFileURL(createRequire(import.meta.url).resolve(name)).href
    const fastify = `import Fastify from '${urlOf('fastify')}'
      await Fastify().get('/only/here', () => 'ok').listen({ port: 0, host: '127.0.0.1' })`
    const express = `import express from '${urlOf('express')}'
      express().get('/only/here', () => {}).listen(0, '127.0.0.1')`
    const env = { FANLIGHT_STORE: `sqlite:${join(folder.path, 'kept.db')}` }
    const places = (): readonly string[] => readdirSync(folder.path).filter((name) => name.endsWith('.running'))
    for (const [signal, served] of [
      ['SIGINT', fastify],
      ['SIGKILL', express],
    ] as const) {
      writeFileSync(join(folder.path, 'served.mjs'), served)
      await using app = await runNode(['--import', register, 'served.mjs'], env, folder.path)
      const routes = await folder.run(['routes'], { env })
      assert.match(routes.stdout, /\/only\/here/)
      assert.equal((await folder.run(['match', 'GET', '/only/here'], { env })).exitCode, 0)
      assert.equal((await folder.run(['profiles', 'status'], { env })).exitCode, 0)
      assert.equal(places().length, 1)
      await app.end(signal)
      const gone = await folder.run(['routes'], { env })
      assert.deepEqual([gone.exitCode, places()], [3, []])
      assert.match(gone.stderr, /there is no app\/main\.ts in the working directory/)
    }
  })

  it('asks no other machine, whatever a file in the folder says', async () => {
    await using folder = await cliFolder()
    writeFileSync(join(folder.path, 'package.json'), manifest)
    writeFileSync(join(folder.path, `fanlight.${process.pid}.running`), 'http://192.0.2.1:80/_profiler')
    const env = { FANLIGHT_STORE: `sqlite:${join(folder.path, 'kept.db')}`, PORT: '1' }
    const routes = await folder.run(['routes'], { env })
    assert.match(routes.stderr, /there is no app\/main\.ts in the working directory/)
    const { stderr } = await folder.run(['profiles', 'status'], { env })
    assert.match(stderr, /http:\/\/127\.0\.0\.1:1 does not respond/)
  })
})
