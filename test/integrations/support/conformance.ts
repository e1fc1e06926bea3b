// Runs cases of the conformance table against one framework: each application once without us and once with us, requests to both.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { RawRequest, RawResponse } from '../../support/raw-client.ts'
import { removeDirectory } from '../../support/temporary-directory.ts'
import { until } from '../../support/until.ts'
import {
  startApplication,
  type FrameworkName,
  type RunningApplication,
  type SeenProfile,
  type StartOptions,
} from './running-application.ts'

/** One column of the table. */
export interface Column {
  /** `Express 5.3.0` */
  readonly name: string
  readonly framework: FrameworkName
  readonly versions?: 'older' | 'oldest'
}

export const columns: readonly Column[] = [
  { name: 'Express 5', framework: 'express' },
  { name: 'Express 5.0.1', framework: 'express', versions: 'oldest' },
  { name: 'Express 4', framework: 'express4', versions: 'older' },
  { name: 'Fastify 5', framework: 'fastify' },
  { name: 'Fastify 5.0.0', framework: 'fastify', versions: 'oldest' },
  { name: 'Koa 3', framework: 'koa' },
  { name: 'Koa 3.0.0', framework: 'koa', versions: 'oldest' },
  { name: 'Hono 4', framework: 'hono' },
  { name: 'Hono 4.0.0', framework: 'hono', versions: 'oldest' },
  { name: 'Nest 12', framework: 'nest' },
  { name: 'Nest 11', framework: 'nest', versions: 'older' },
  { name: 'Nest 12 on Fastify', framework: 'nest-fastify' },
  { name: 'Nest 11 on Fastify', framework: 'nest-fastify', versions: 'oldest' },
  { name: 'h3 2', framework: 'h3' },
  { name: 'h3 2.0.1', framework: 'h3', versions: 'oldest' },
  { name: 'node:http', framework: 'node' },
]

/** What a framework cannot give, or gives otherwise: why, and what is seen there. */
export interface Exception {
  readonly why: string
  /** Fails where it is not as said. */
  readonly check: (both: Both) => Promise<void>
}

/** A row of the table. */
export interface Case {
  /** As ADAPTERS.md counts them to 60; what was added goes on from 61. */
  readonly number: number
  readonly title: string
  readonly check: (both: Both) => Promise<void>
  /** By column, by framework, or by framework and versions: `koa`, `koa oldest`, `Nest 11`. */
  readonly exceptions?: Readonly<Record<string, Exception>>
}

/** The exception of a case in a column; `undefined` where the case holds in full. */
export function exceptionOf({ exceptions = {} }: Case, { name, framework, versions }: Column): Exception | undefined {
  return exceptions[name] ?? exceptions[`${framework} ${versions}`] ?? exceptions[framework]
}

interface Started {
  readonly baseline: RunningApplication | null
  readonly withUs: RunningApplication
  readonly store: string
}

/** The two processes of a column. */
export class Both {
  readonly column: Column
  readonly framework: FrameworkName
  /** The application without us; `null` where the cases need none. */
  readonly baseline: RunningApplication | null
  readonly withUs: RunningApplication
  /** Where the process with us keeps its profiles; may be opened when that process has ended. */
  readonly store: string

  constructor(column: Column, { baseline, withUs, store }: Started) {
    this.column = column
    this.framework = column.framework
    this.baseline = baseline
    this.withUs = withUs
    this.store = store
  }

  /** The application without us. */
  get without(): RunningApplication {
    if (this.baseline === null) throw new Error('this column was started without its baseline')
    return this.baseline
  }

  /** Sends the request to both and expects the same bytes but for our headers. Gives the response with us. */
  async same(request: RawRequest): Promise<RawResponse> {
    const expected = await this.without.send(request)
    const seen = await this.withUs.send(request)
    assert.deepEqual(comparable(seen, this.withUs.port), comparable(expected, this.without.port))
    return seen
  }

  /** Asks for JSON: the framework's own stays as it is; another default response becomes a problem document with its status. */
  async ownJson({ headers = [], ...request }: RawRequest): Promise<RawResponse> {
    const asked = { ...request, headers: [...headers, 'Accept: application/json'] }
    const expected = await this.without.send(asked)
    if (/json/.test(expected.header('content-type') ?? '')) return this.same(asked)
    const seen = await this.withUs.send(asked)
    assert.equal(seen.header('content-type'), 'application/problem+json')
    const { status, debug } = JSON.parse(seen.body) as { readonly status: number; readonly debug: object }
    assert.deepEqual([status, seen.status, typeof debug], [expected.status, expected.status, 'object'])
    return seen
  }

  /** The same bytes, and a profile. */
  async sameAndRecorded(request: RawRequest): Promise<{ response: RawResponse; profile: SeenProfile }> {
    const response = await this.same(request)
    assertNamed(response)
    return { response, profile: await this.withUs.profileOf(response) }
  }

  /**
   * Asks as a browser. Expects our page with the status that the framework sends, in a response that names its profile; the text
   * of the page has all of `says`.
   */
  async page(request: RawRequest, says: readonly string[]): Promise<{ response: RawResponse; profile: SeenProfile }> {
    const asked = {
      ...request,
      headers: ['Accept: text/html,application/xhtml+xml,*/*;q=0.8', ...(request.headers ?? [])],
    }
    const { status } = await this.without.send(asked)
    const response = await this.withUs.send(asked)
    assert.ok(isOurPage(response), `not our page, but ${response.status} ${response.body.slice(0, 300)}`)
    assert.equal(response.status, status)
    assert.equal(response.header('content-length'), String(Buffer.byteLength(response.body)))
    const text = textOf(response.body)
    for (const part of says) assert.ok(text.includes(part), `the page does not say ${part}`)
    assertNamed(response)
    return { response, profile: await this.withUs.profileOf(response) }
  }

  /** Expects `value` of the process with us to become what is asked for, and gives it. */
  async newest(query: string): Promise<SeenProfile> {
    let found: SeenProfile | undefined
    await until(async () => (([found] = await this.withUs.profiles(query)), found !== undefined))
    return this.withUs.profileOf({ header: () => found?.token })
  }
}

/** How the application with us is started. */
interface ColumnOptions extends Partial<StartOptions> {
  /** Whether it is started without us, too. Default: yes. */
  readonly hasBaseline?: boolean
}

/** Runs the cases in one column. */
export function runColumn(column: Column, cases: readonly Case[], options: ColumnOptions = {}): void {
  const { hasBaseline = true, ...start } = options
  describe(column.name, () => {
    let both: Both
    const folder = mkdtempSync(join(tmpdir(), 'fanlight-'))
    // Whom the applications ask, where a case is about requests to others.
    const other = createServer((_request, response) => void response.end('{}'))
    before(async () => {
      await once(other.listen(0, '127.0.0.1'), 'listening')
      const { framework, versions } = column
      const env = { CONFORMANCE_OTHER: `http://127.0.0.1:${(other.address() as AddressInfo).port}`, ...start.env }
      const store = `sqlite:${join(folder, 'profiles.db')}`
      const [baseline, withUs] = await Promise.all([
        hasBaseline ? startApplication({ framework, versions, env }) : null,
        startApplication({
          attached: 'first',
          options: { captureBodies: true },
          ...start,
          framework,
          versions,
          env: { FANLIGHT_STORE: store, ...env },
        }),
      ])
      both = new Both(column, { baseline, withUs, store })
    })
    after(async () => {
      other.close()
      await Promise.all([both.baseline?.[Symbol.asyncDispose](), both.withUs[Symbol.asyncDispose]()])
      await removeDirectory(folder)
    })
    for (const row of cases) {
      const exception = exceptionOf(row, column)
      const title = `${row.number} ${row.title}${exception === undefined ? '' : ` (but: ${exception.why})`}`
      it(`${column.name}: ${title}`, async () => (exception ?? row).check(both))
    }
  })
}

/** Columns of some frameworks. */
export function columnsOf(...frameworks: readonly FrameworkName[]): readonly Column[] {
  return columns.filter(({ framework }) => frameworks.includes(framework))
}

export function hasToolbar({ body }: RawResponse): boolean {
  return body.includes('<fanlight-toolbar')
}

export function isOurPage({ body }: RawResponse): boolean {
  return body.includes('<a class="brand" href="/_profiler')
}

/** The response names its profile. */
export function assertNamed(response: RawResponse): void {
  const token = response.header('x-debug-token') ?? ''
  assert.match(token, /^[0-9a-z]{10,16}$/)
  assert.equal(response.header('x-debug-token-link'), `/_profiler/${token}`)
  assert.match(response.header('server-timing') ?? '', /total;dur=/)
}

/** The page without markup. */
export function textOf(markup: string): string {
  return markup
    .replace(/<(script|style)[^>]*>[\s\S]*?<\/\1>/g, ' ')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}

const ours = new Set(['x-debug-token', 'x-debug-token-link', 'date', 'server-timing'])

/** Where these stand among the fields is Node's affair: it adds them at the end where nobody else did. */
const framing = new Set(['content-length', 'transfer-encoding', 'connection'])

const frameOfExpress = '<br> &nbsp; &nbsp;at '

/** A response without what differs from one process to the next. */
function comparable({ status, reason, headers, body }: RawResponse, port: number): object {
  const clean = (text: string): string => text.replaceAll(`127.0.0.1:${port}`, '127.0.0.1:port')
  // Express prints the stack, and its frames are not those of a process in which nobody listens to its channels.
  const hasStack = body.includes(frameOfExpress)
  const fields = headers.filter(([name]) => !ours.has(name)).map(([name, value]) => [name, clean(value)] as const)
  return {
    status,
    reason,
    headers: fields.filter(([name]) => !framing.has(name)),
    framing: fields
      .filter(([name]) => framing.has(name) && !(hasStack && name === 'content-length'))
      .map(String)
      .toSorted(),
    body: clean(hasStack ? body.slice(0, body.indexOf(frameOfExpress)) : body),
  }
}
