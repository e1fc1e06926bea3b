// The files of docs/guides/deploying.md: the Dockerfile is that of new applications (its steps are run by
// scripts/fresh-machine/create.ts), and the unit is read by systemd and run as it says.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { findProgram } from '../../scripts/test-tools.mjs'
import { freePort } from '../support/free-port.ts'
import { runFile } from '../support/running-process.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'

const page = readFileSync('docs/guides/deploying.md', 'utf8')
const templates = 'create-fanlight/templates/common'

function blockOf(language: string): string {
  return new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'm').exec(page)?.[1] ?? assert.fail(language)
}

const unit = blockOf('ini')
const directivesOf = (name: string): readonly string[] =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)

it('shows the Dockerfile and the .dockerignore of new applications', () => {
  const dockerfile = readFileSync(join(templates, 'Dockerfile'), 'utf8')
  assert.equal(blockOf('dockerfile'), dockerfile.replaceAll('my-app', 'shop'))
  assert.equal(blockOf('text'), readFileSync(join(templates, '_dockerignore'), 'utf8'))
})

describe('the unit', () => {
  const analyze = findProgram('systemd-analyze')

  it('is one that systemd accepts', { skip: analyze === null && 'systemd-analyze is not installed' }, (test) => {
    const directory = makeTemporaryDirectory(test)
    const file = join(directory, 'shop.service')
    // On this machine Node is elsewhere, and there is no such user.
    writeFileSync(file, unit.replace('/usr/bin/node', process.execPath).replace('User=shop', 'User=root'))
    const verify = (): ReturnType<typeof spawnSync> =>
      spawnSync(analyze ?? '', ['verify', '--man=no', file], {
        encoding: 'utf8',
        env: { SYSTEMD_LOG_LEVEL: 'warning' },
      })
    const { status, stdout, stderr } = verify()
    const about = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('shop.service'))
    assert.deepEqual([about, status], [[], 0], String(stderr))
    writeFileSync(file, unit.replace('Restart=on-failure', 'Restart=sometimes'))
    assert.match(String(verify().stderr), /shop\.service.*sometimes/)
  })

  it('starts an application with its command and environment, and SIGTERM ends it in order', async () => {
    const [command = ''] = directivesOf('ExecStart')
    assert.match(command, /^\/usr\/bin\/node app\/main\.ts$/)
    const env = Object.fromEntries(
      directivesOf('Environment').flatMap((line) => line.split(' ').map((pair) => pair.split('='))),
    ) as Record<string, string>
    const port = await freePort()
    const { NODE_COMPILE_CACHE: _cache, ...settings } = env
    await using shop = await runFile('app/main.ts', { ...settings, PORT: String(port) })
    assert.equal(await statusOf(port, 'shop.example.org'), 200)
    assert.equal(await shop.end('SIGTERM'), 0)
  })
})

function statusOf(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, headers: { host } }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    asked.on('error', reject).end()
  })
}
