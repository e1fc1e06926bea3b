// What every threat is measured by in addition to its own criterion: the application still responds.

import assert from 'node:assert/strict'
import { afterEach } from 'node:test'
import type { RawResponse } from './raw-client.ts'
import { request } from './raw-client.ts'
import { forAll } from './for-all.ts'
import { type RunningApp, type RunningAppOptions, startApp } from './running-app.ts'

/** Fails unless a fresh request to the port is answered with 404. */
export async function assertAlive(port: number): Promise<void> {
  assert.equal((await request(port, { target: '/zq-alive' })).status, 404)
}

/**
 * An application for all tests of a file: it ends after them, and after each it must still answer. To be awaited at the top
 * of the file, before the first suite.
 */
export async function attackedApp(options: RunningAppOptions = {}): Promise<RunningApp> {
  const running = await forAll(startApp(options))
  afterEach(async () => assertAlive(running.port))
  return running
}

/** Names of the panels that there are, as the profiler itself lists them. */
export async function panelNames(running: RunningApp, token: string): Promise<readonly string[]> {
  const answer = await running.send({
    target: `/_profiler/${token}?panel=no-such-panel`,
    headers: ['Accept: application/json'],
  })
  return (JSON.parse(answer.body) as { readonly panels: readonly string[] }).panels
}

/** The token of a profiled answer. */
export function tokenOf(answer: RawResponse): string {
  const token = answer.header('x-debug-token')
  assert.match(token ?? '', /^[0-9a-z]{10,16}$/)
  return token ?? ''
}

/** Every page of a profile and of its sub-requests: all panels as markup, the whole as JSON and as Markdown. */
export async function profilePages(running: RunningApp, token: string): Promise<readonly RawResponse[]> {
  const children = (await running.profiles.read(token))?.childTokens ?? []
  const panels = await panelNames(running, token)
  const pages: RawResponse[] = []
  for (const each of [token, ...children]) {
    for (const panel of panels) {
      pages.push(await running.send({ target: `/_profiler/${each}?panel=${panel}&type=request` }))
    }
    for (const form of ['.json', '.md']) pages.push(await running.send({ target: `/_profiler/${each}${form}` }))
  }
  return pages
}
