// Writes a test from a profile: it sends the recorded request and fails until the recorded error is fixed, or checks what succeeded.

import { isoTime } from '../../base/html/components.ts'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fieldValue } from '../../base/http/header-fields.ts'
import { readPairs } from '../../base/http/query.ts'
import { visibleLine } from '../../base/markdown-text.ts'
import type { Profile } from '../../observe/profile.ts'
import { shortened } from '../../profiles/profile-facts.ts'
import { isMasked, missingText, repeatableRequest, type RepeatableRequest } from '../../profiles/repeatable-request.ts'
import { dataOf } from '../../profiles/stored-data.ts'
import { numberOf, type BudgetName } from '../testing/budgets.ts'
import { Expression, filled, literal, quoted, taken, template } from './literal.ts'

export type TestRunner = 'node' | 'vitest'

export const testRunners: readonly TestRunner[] = ['node', 'vitest']

export interface TestFileOptions {
  readonly runner: TestRunner
  /**
   * What the test sends the request to, by a path from the project: `module` exports the front controller of an application of
   * Fanlight; `listener` has a listener of `node:http` as its default export, such as an Express application.
   */
  readonly target: { readonly kind: 'module' | 'listener'; readonly file: string }
  /** Path of the test from the project. Default: below `test/`, named after route or path. */
  readonly file?: string | undefined
}

export type TestFile =
  | {
      readonly state: 'written'
      /** Path of the test from the project. */
      readonly file: string
      readonly code: string
      /** What is to be filled in before the test can run: `cookie session`. */
      readonly missing: readonly string[]
      /** What the test does not cover, one sentence each. */
      readonly remarks: readonly string[]
    }
  /** `problem` is one sentence. */
  | { readonly state: 'impossible'; readonly problem: string }

/** `project`: absolute directory. Writes nothing; looks how the target is exported, if the target is a `module`. */
export function testFileOf(profile: Profile, options: TestFileOptions, project: string): TestFile {
  const { runner, target } = options
  if (!existsSync(join(project, target.file)))
    return impossible(
      `There is no ${target.file}: name the file of the front controller, or one with a listener of node:http.`,
    )
  const repeatable = repeatableRequest(profile)
  if (repeatable.state === 'impossible') return repeatable
  if (profile.status === 0 && profile.errorClass === null) {
    return impossible('The request had no response and no error, so there is nothing that a test could expect.')
  }
  const missing = new Set<string>()
  const request = requestOf(repeatable.request, missing)
  const code = runnerCode[runner]
  const isApp = target.kind === 'module'
  const expected = hasFailed(profile) ? mended(profile, code, isApp) : asRecorded(profile, code, isApp)
  const [path = ''] = repeatable.request.target.split('?')
  const name = `${profile.method} ${shortened(path, 80)}`
  const file = options.file ?? suggestedFile(profile, path)
  const asked = dataOf(profile, 'http-client')?.calls.map(({ method, url }) => `${method} ${url}`) ?? []
  const sections = [
    headerOf(profile, name),
    importsOf(code, expected, targetImport(target, file, project)),
    missingOf(missing),
    asked.map((other) => comment(`Sends what the recorded request did: ${other}`)),
    isApp ? appSetup(code) : listenerSetup(code),
    testOf(name, request, expected, missing.size > 0 ? missingCheck(code) : [], isApp),
  ]
  return {
    state: 'written',
    file,
    code: `${sections
      .filter((lines) => lines.length > 0)
      .map((lines) => lines.join('\n'))
      .join('\n\n')}\n`,
    missing: [...missing],
    remarks: [
      ...asked.map((other) => `The test needs the service of ${other}.`),
      ...(isApp
        ? []
        : ['Only the response is checked: queries and errors of other applications are not in reach of a test.']),
    ],
  }
}

function impossible(problem: string): TestFile {
  return { state: 'impossible', problem }
}

/** `test/order-total.test.ts`, `test/post-orders.test.ts` */
function suggestedFile({ method, route }: Profile, path: string): string {
  const name = route ?? path
  const words = `${method === 'GET' ? '' : `${method} `}${name}`.toLowerCase().match(/[a-z0-9]+/g) ?? ['home']
  return `test/${words.join('-').slice(0, 60)}.test.ts`
}

/** `name`: `GET /orders/7`. */
function headerOf(profile: Profile, name: string): readonly string[] {
  const { token, time, errorClass, errorMessage } = profile
  const day = isoTime(time).slice(0, 10)
  const said = errorClass === null ? 'It failed without an exception.' : `It failed with ${errorClass}: ${errorMessage}`
  return [
    comment(`${name}, recorded on ${day} as profile ${token}; written by "fanlight profiles test".`),
    ...(hasFailed(profile) ? [comment(said)] : []),
  ]
}

/** One line, whatever was recorded. */
function comment(text: string): string {
  return `// ${visibleLine(text).slice(0, 300)}`
}

/** Lines and expressions of one runner. What they take is code. */
interface RunnerCode {
  readonly imports: readonly string[]
  /** What is called with what is to be done after all tests. */
  readonly after: string
  readonly equal: (actual: string, expected: string) => string
  /** `message`: a sentence as code. Without one, the runner prints its own message. */
  readonly notEqual: (actual: string, expected: string, message?: string) => string
  readonly below: (actual: string, limit: number, message: string) => string
}

const runnerCode: Readonly<Record<TestRunner, RunnerCode>> = {
  node: {
    imports: ["import assert from 'node:assert/strict'", "import { after, it } from 'node:test'"],
    after: 'after',
    equal: (actual, expected) => `assert.equal(${actual}, ${expected})`,
    notEqual: (actual, expected, message) =>
      `assert.notEqual(${[actual, expected, ...(message === undefined ? [] : [message])].join(', ')})`,
    below: (actual, limit, message) => `assert.ok(${actual} < ${limit}, ${message})`,
  },
  vitest: {
    imports: ["import { afterAll, expect, it } from 'vitest'"],
    after: 'afterAll',
    equal: (actual, expected) => `expect(${actual}).toBe(${expected})`,
    notEqual: (actual, expected, message) =>
      `expect(${message === undefined ? actual : `${actual}, ${message}`}).not.toBe(${expected})`,
    below: (actual, limit, message) => `expect(${actual}, ${message}).toBeLessThan(${limit})`,
  },
}

function importsOf(code: RunnerCode, { needsProfile }: Expectations, target: TargetImport): readonly string[] {
  const app = [
    "import { loadRuntimeContext } from 'fanlight'",
    `import { ${needsProfile ? 'expectProfile, ' : ''}profileRequest } from 'fanlight/testing'`,
  ]
  const server = ["import { once } from 'node:events'", "import { createServer } from 'node:http'"]
  return [...code.imports, ...(target.kind === 'module' ? app : server), target.line]
}

interface TargetImport {
  readonly kind: TestFileOptions['target']['kind']
  readonly line: string
}

function targetImport({ kind, file }: TestFileOptions['target'], test: string, project: string): TargetImport {
  const path = relative(dirname(test), file).split(sep).join('/')
  const from = quoted(path.startsWith('.') ? path : `./${path}`)
  if (kind === 'listener') return { kind, line: `import listener from ${from}` }
  const isNamed = /\bfrontController\b/.test(readFileSync(join(project, file), 'utf8'))
  return { kind, line: `import ${isNamed ? '{ frontController }' : 'frontController'} from ${from}` }
}

function missingOf(missing: ReadonlySet<string>): readonly string[] {
  if (missing.size === 0) return []
  return [
    '// TODO: fill in what the recording does not have, because it was masked, cut or not captured.',
    'const missing = {',
    ...[...missing].map((name) => `  ${quoted(name)}: '',`),
    '}',
  ]
}

function missingCheck(code: RunnerCode): readonly string[] {
  const message = '`Fill in ${name} in this file: the recording does not have it`'
  return ['for (const [name, value] of Object.entries(missing)) {', `  ${code.notEqual('value', "''", message)}`, '}']
}

function appSetup({ after }: RunnerCode): readonly string[] {
  return [
    "const { context } = loadRuntimeContext({ cwd: '.', env: { APP_ENV: 'test', APP_STORE: 'memory:' } })",
    'const app = await frontController(context)',
    `${after}(() => app.close())`,
  ]
}

function listenerSetup({ after }: RunnerCode): readonly string[] {
  return [
    "const server = createServer(listener).listen(0, '127.0.0.1')",
    "await once(server, 'listening')",
    'const { port } = Object(server.address())',
    `${after}(() => server.close())`,
  ]
}

function testOf(
  name: string,
  request: RequestCode,
  { title, lines, needsProfile }: Expectations,
  checks: readonly string[],
  isApp: boolean,
): readonly string[] {
  const send = isApp ? injected(request, needsProfile) : fetched(request)
  return [
    `it(${quoted(`${name} ${title}`)}, async () => {`,
    ...[...checks, ...send.split('\n'), ...lines].map((line) => `  ${line}`),
    '})',
  ]
}

function injected({ method, url, headers, body }: RequestCode, needsProfile: boolean): string {
  const asked = { ...(method !== 'GET' && { method }), url, ...given(headers), ...(body !== undefined && { body }) }
  const call = `const ${needsProfile ? '{ response, profile }' : '{ response }'} = await profileRequest(app, `
  return `${call}${literal(asked)})`
}

function fetched({ method, url, headers: { host: _, ...headers }, body, isJson }: RequestCode): string {
  const sent = isJson ? { 'content-type': 'application/json', ...headers } : headers
  const content = isJson ? new Expression(`JSON.stringify(${literal(body, '  ')})`) : body
  const init = {
    ...(method !== 'GET' && { method }),
    redirect: 'manual',
    ...given(sent),
    ...(body !== undefined && { body: content }),
  }
  const call = `const response = await fetch(\`http://127.0.0.1:\${port}\` + ${literal(url)}, `
  return `${call}${literal(init)})`
}

function given(headers: RequestCode['headers']): { readonly headers?: RequestCode['headers'] } {
  return Object.keys(headers).length === 0 ? {} : { headers }
}

/** Parts of the request, as values and expressions for `literal`. */
interface RequestCode {
  readonly method: string
  /** Path and query. */
  readonly url: string | Expression
  readonly headers: Readonly<Record<string, unknown>>
  /** `undefined`: none was sent. */
  readonly body: unknown
  /** Whether the body is a value that is sent as JSON; else it is text. */
  readonly isJson: boolean
}

/** Clients and proxies add these for themselves, and no application should decide by them. */
const unneeded =
  /^(?:accept-encoding|priority|upgrade-insecure-requests|dnt|traceparent|tracestate|baggage|x-debug-.*|sec-(?!fetch-site$).*)$/i

/** Without what every client makes itself. Values are missed in the order of the file. */
function requestOf(request: RepeatableRequest, missing: Set<string>): RequestCode {
  const url = urlOf(request, missing)
  const headers = headersOf(request, missing)
  const body = bodyOf(request, missing)
  const isJson = request.body.state === 'there' && request.body.kind === 'json'
  // A value is sent as `application/json` by itself.
  if (isJson && request.body.mediaType === 'application/json') delete headers['content-type']
  return { method: request.method, url, headers, body, isJson }
}

function headersOf(
  { headers, host, missing: values }: RepeatableRequest,
  missing: Set<string>,
): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  if (!/^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(host)) fields['host'] = host
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    if (unneeded.test(key)) continue
    const before = fields[key]
    fields[key] = typeof before === 'string' ? `${before}${key === 'cookie' ? '; ' : ', '}${value}` : value
  }
  for (const value of values) {
    if (value.place === 'header' && !unneeded.test(value.name))
      fields[value.name.toLowerCase()] = taken(missingText(value), missing)
  }
  const cookies = values.filter(({ place }) => place === 'cookie')
  if (cookies.length > 0) {
    fields['cookie'] = template(
      cookies.flatMap((cookie, index) => [
        `${index === 0 ? '' : '; '}${cookie.name}=`,
        taken(missingText(cookie), missing),
      ]),
    )
  }
  return fields
}

function urlOf({ target, missing: values }: RepeatableRequest, missing: Set<string>): string | Expression {
  if (!values.some(({ place }) => place === 'path' || place === 'query')) return target
  return template(
    target.split(/([/?&])/).flatMap((part): readonly (string | Expression)[] => {
      const segment = values.find(({ place, name }) => place === 'path' && name === part)
      if (segment !== undefined) return [taken(missingText(segment), missing)]
      const name = readPairs(part)[0]?.[0]
      const parameter = values.find((value) => value.place === 'query' && value.name === name)
      const isValue = parameter !== undefined && part.includes('=')
      return isValue ? [part.slice(0, part.indexOf('=') + 1), taken(missingText(parameter), missing)] : [part]
    }),
  )
}

function bodyOf({ body, missing: values }: RepeatableRequest, missing: Set<string>): unknown {
  if (body.state === 'none') return undefined
  const places = values.filter(({ place }) => place === 'body')
  if (body.state === 'missing' || places.some(({ name }) => name === ''))
    return taken(missingText({ place: 'body', name: '' }), missing)
  const fill = (_: string, path: string): Expression | undefined => {
    const place = places.find(({ name }) => name === path)
    return place && taken(missingText(place), missing)
  }
  if (body.kind === 'json') return filled(JSON.parse(body.text), fill)
  if (body.kind === 'text' || places.length === 0) return body.text
  const fields = readPairs(body.text).map(([name, value]) => [name, fill(value, name) ?? value])
  // A member of the request: with the columns before it.
  return new Expression(`String(new URLSearchParams(${literal(fields, '    ')}))`)
}

/** Assertions, and the same in words. */
interface Expectations {
  /** Goes on after `GET /orders/7 `. */
  readonly title: string
  /** Statements. */
  readonly lines: readonly string[]
  /** Whether they need the profile of the request; else the response is enough. */
  readonly needsProfile: boolean
}

/** Counts that are the same in every run; times are not. */
const pinned: readonly BudgetName[] = ['queries', 'nPlusOne', 'outgoing', 'logErrors']

/** Whether the recorded request is to be mended. A 404 that was thrown is a response like any other. */
function hasFailed({ findings }: Pick<Profile, 'findings'>): boolean {
  return findings.includes('error')
}

function mended(profile: Profile, runner: RunnerCode, canProfile: boolean): Expectations {
  const { status, errorClass, errorMessage } = profile
  const below = runner.below('response.status', 500, '`responded with ${response.status}`')
  const isThrown = errorClass !== null && (status >= 500 || status === 0)
  const title = isThrown ? `responds without ${errorClass}` : status >= 500 ? 'does not fail' : 'logs no error'
  if (!canProfile) return { title, lines: [below], needsProfile: false }
  const thrown = [
    'const thrown = `${profile.errorClass}: ${profile.errorMessage}`',
    runner.notEqual('thrown', quoted(`${errorClass}: ${errorMessage}`)),
  ]
  return {
    title,
    lines: [...(isThrown ? thrown : []), below, 'expectProfile(profile).toStayWithin({ logErrors: 0 })'],
    needsProfile: true,
  }
}

function asRecorded(profile: Profile, runner: RunnerCode, canProfile: boolean): Expectations {
  const budgets = pinned.flatMap((name): readonly (readonly [string, number])[] => {
    const number = numberOf(profile, name)
    return number === null ? [] : [[name, number]]
  })
  const needsProfile = canProfile && budgets.length > 0
  // Where a redirect leads, if that was not masked.
  const location = fieldValue(dataOf(profile, 'request')?.responseHeaders ?? [], 'location')
  return {
    title: `responds with ${profile.status}${needsProfile ? ' within its budgets' : ''}`,
    lines: [
      runner.equal('response.status', String(profile.status)),
      ...(location === undefined || isMasked(location)
        ? []
        : [runner.equal("response.headers.get('location')", quoted(location))]),
      ...(needsProfile ? [`expectProfile(profile).toStayWithin(${literal(Object.fromEntries(budgets), '  ')})`] : []),
    ],
    needsProfile,
  }
}
