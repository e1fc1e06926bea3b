// Several processes of one application over one store: workers of a cluster, and what `--watch` starts anew. One list of profiles,
// and versions told apart. Case 53 of the conformance table.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { appFolder, register } from '../support/registered-app.ts'
import { runNode } from '../support/running-process.ts'
import { until } from '../support/until.ts'
import { ask, profileOf, tokenOf, type SeenProfile } from './served.ts'

const env = { FANLIGHT_STORE: 'sqlite:var/fanlight.db' }
const close = { connection: 'close' }

/** An application that names its process. */
const application = (version: string): string => `
process.env.FANLIGHT_VERSION = '${version}'
const express = require('express')
const app = express()
app.get('/orders/:id', (request, response) => void response.json({ process: process.pid, version: '${version}' }))
app.get('/broken', () => { throw new Error('broken in ' + process.pid) })
const server = app.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port))`

interface Said {
  readonly process: number
  readonly version: string
}

async function order(port: number, id: string): Promise<Said & { readonly token: string }> {
  const got = await ask(port, { path: `/orders/${id}`, headers: close })
  return { ...(JSON.parse(got.text) as Said), token: tokenOf(got) }
}

async function listed(port: number, query = ''): Promise<readonly (SeenProfile & { readonly url: string })[]> {
  const { text } = await ask(port, { path: `/_profiler/index.json?limit=100${query}`, headers: close })
  return (JSON.parse(text) as { items: (SeenProfile & { url: string })[] }).items
}

/** The process that a profile is from. */
function processOf({ data }: SeenProfile): number {
  return (data['config'] as { readonly processId: number }).processId
}

describe('several processes over one store', () => {
  it('two workers of a cluster: every worker shows the profiles of both', async () => {
    await using folder = appFolder({
      'cluster.cjs': `
const cluster = require('node:cluster')
if (cluster.isPrimary) {
  cluster.fork()
  cluster.fork()
  process.once('SIGTERM', () => {
    for (const worker of Object.values(cluster.workers)) worker.kill()
    cluster.disconnect(() => process.exit())
  })
} else require('./app.cjs')`,
      'app.cjs': application('1.0.0'),
    })
    await using running = await runNode(['--import', register, 'cluster.cjs'], env, folder.path)
    const port = Number(new URL(running.url).port)
    // Until both listen and have served.
    const served = new Map<number, string[]>()
    await until(async () => {
      const { process, token } = await order(port, '7')
      served.set(process, [...(served.get(process) ?? []), token])
      return [...served.values()].filter((tokens) => tokens.length > 1).length === 2
    })
    for (const [process, tokens] of served) {
      for (const token of tokens) assert.equal(processOf(await profileOf(port, token)), process)
    }
    const all = [...served.values()].flat()
    // The workers take turns, so each of them is asked for the list.
    for (let turn = 0; turn < 4; turn += 1) {
      await until(async () => {
        const tokens = new Set((await listed(port)).map(({ token }) => token))
        return all.every((token) => tokens.has(token))
      })
    }
  })

  it('--watch: the list goes on after a restart, and tells versions apart', async () => {
    await using folder = appFolder({ 'app.cjs': application('1.0.0') })
    await using running = await runNode(['--import', register, '--watch', 'app.cjs'], env, folder.path)
    // Each start has a port of any number, and says which.
    const ports = (): readonly number[] =>
      [...running.output.matchAll(/http:\/\/127\.0\.0\.1:(\d+)\n/g)].map(([, port]) => Number(port))
    await until(() => ports().length === 1)
    const first = await order(ports()[0] ?? 0, '1')
    await profileOf(ports()[0] ?? 0, first.token)
    folder.write('app.cjs', application('1.1.0'))
    await until(() => ports().length === 2)
    const port = ports()[1] ?? 0
    const second = await order(port, '2')
    assert.deepEqual([first.version, second.version], ['1.0.0', '1.1.0'])
    assert.notEqual(first.process, second.process)
    await profileOf(port, second.token)
    const tokensOf = async (query: string): Promise<readonly string[]> =>
      (await listed(port, query)).map(({ token }) => token)
    assert.deepEqual(await tokensOf(''), [second.token, first.token])
    assert.deepEqual(await tokensOf('&version=1.0.0'), [first.token])
    assert.deepEqual(await tokensOf('&version=1.1.0'), [second.token])
  })
})
