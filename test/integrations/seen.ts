// What tests look at after a request to an application of a framework.

import assert from 'node:assert/strict'
import { ask, profileOf, tokenOf, type Got, type SeenProfile, type Sent } from './served.ts'

interface SeenSpan {
  readonly category: string
  readonly name: string
  readonly status: string
  readonly durationMs: number | null
}

/** A response and its profile. */
export interface Seen extends Got {
  readonly profile: SeenProfile
}

/** Asks, and waits for the profile. */
export async function see(port: number, path: string, sent: Omit<Sent, 'path'> = {}): Promise<Seen> {
  const got = await ask(port, { ...sent, path })
  return { ...got, profile: await profileOf(port, tokenOf(got)) }
}

/** `hook onRequest checkUser`; the handler is `controller …`. */
export function stepsOf({ data }: SeenProfile): readonly string[] {
  return spansOf(data).map(({ category, name }) => `${category} ${name}`)
}

export function failedStepsOf({ data }: SeenProfile): readonly string[] {
  return spansOf(data)
    .filter(({ status }) => status === 'error')
    .map(({ name }) => name)
}

/** Names of steps that have not ended. */
export function openStepsOf({ data }: SeenProfile): readonly string[] {
  return spansOf(data)
    .filter(({ durationMs }) => durationMs === null)
    .map(({ name }) => name)
}

function spansOf(data: SeenProfile['data']): readonly SeenSpan[] {
  const { spans } = data['time'] as { spans: readonly SeenSpan[] }
  return spans.filter(({ category }) => ['middleware', 'hook', 'controller'].includes(category))
}

/** What integrations noted in this process. */
export async function notesOf(port: number): Promise<readonly string[]> {
  const { text } = await ask(port, { path: '/_profiler/status.json', headers: { connection: 'close' } })
  return (JSON.parse(text) as { notes: readonly string[] }).notes
}

/** An error page of ours for a browser, with the status of the framework. */
export async function assertErrorPage(port: number, path: string, status: number, message: string): Promise<void> {
  const seen = await see(port, path, { headers: { accept: 'text/html' } })
  assert.equal(seen.status, status, path)
  assert.match(String(seen.headers['content-type']), /^text\/html/, path)
  assert.ok(seen.text.includes(message), `${path}: ${seen.text.slice(0, 300)}`)
  assert.ok(seen.text.includes(tokenOf(seen)), path)
  assert.equal(Number(seen.headers['content-length'] ?? seen.bytes.byteLength), seen.bytes.byteLength)
}
