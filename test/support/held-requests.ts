// Requests that have reached their processes and end when a test wants it: their bodies are not sent yet.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import type { LockStore } from '../../src/profiles/lock.ts'
import type { CliRun } from './cli-run.ts'
import { until } from './until.ts'

/** A request whose body is awaited. */
async function hold(url: string): Promise<ClientRequest> {
  const type = 'application/x-www-form-urlencoded'
  const headers = { expect: '100-continue', 'content-length': '4', 'content-type': type }
  const held = request(url, { method: 'POST', headers })
  held.flushHeaders()
  await once(held, 'continue')
  return held
}

/** Sends the body, and gives the status. */
async function release(held: ClientRequest): Promise<number | undefined> {
  const responded = once(held, 'response') as Promise<[IncomingMessage]>
  held.end('a=b\n')
  const [response] = await responded
  response.resume()
  return response.statusCode
}

/** Drains processes that each hold a request, and lets these end one after the other; the application stays closed. */
export async function drainHeld(
  urls: readonly string[],
  { journal }: LockStore,
  command: (args: readonly string[]) => Promise<CliRun>,
): Promise<void> {
  const held = await Promise.all(urls.map(hold))
  const running = async (): Promise<number> =>
    ((await journal?.read())?.reports ?? []).reduce((sum, report) => sum + report.running, 0)
  let isOver = false
  const draining = command(['lock', 'on', '--drain', '--deadline', '2m', '--json']).finally(() => (isOver = true))
  for (const [index, one] of held.entries()) {
    await until(async () => (await running()) === held.length - index)
    assert.equal(isOver, false)
    assert.notEqual(await release(one), 503)
  }
  const { exitCode, stdout, stderr } = await draining
  assert.deepEqual([exitCode, stderr], [0, ''])
  assert.deepEqual(JSON.parse(stdout).drained, { running: 0, processes: urls.length, silent: [] })
}
