// Writes a test from a profile: it sends the recorded request and fails until the recorded error is fixed, or checks what succeeded.

import { isoTime } from '../../base/html/components.ts'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fieldValue } from '../../base/http/header-fields.ts'
import { hasUnseen, visibleLine } from '../../base/markdown-text.ts'
import { mask } from '../../base/redact/rules.ts'
import type { Profile } from '../../observe/profile.ts'
import { shortened } from '../../profiles/profile-facts.ts'
import { isMasked, missingText, repeatableRequest, type RepeatableRequest } from '../../profiles/repeatable-request.ts'
import { dataOf } from '../../profiles/stored-data.ts'
import { numberOf, type BudgetName } from '../testing/expect-profile.ts'

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
  const code = runnerCode[runner]
  const missing = missingOf(repeatable.request)
  const expected = hasFailed(profile) ? mended(profile, code) : asRecorded(profile, code)
  const [path = ''] = repeatable.request.target.split('?')
  const name = `${profile.method} ${shortened(path, 80)}`
  const file = options.file ?? suggestedFile(profile, path)
  const asked = dataOf(profile, 'http-client')?.calls.map(({ method, url }) => `${method} ${url}`) ?? []
  const sections = [
    [...headerOf(profile, name), ...(target.kind === 'module' ? [] : [comment(howToRun)])],
    importsOf(code, expected, targetImport(target, file, project)),
    asked.map((other) => comment(`Sends what the recorded request did: ${other}`)),
    target.kind === 'module' ? appSetup(code) : [],
    [
      `it(${quoted(`${name} ${expected.title}`)}, async () => {`,
      ...sendingOf(repeatable.request, { code, missing, expected }).map((line) => `  ${line}`),
      ...expected.lines.map((line) => `  ${line}`),
      '})',
    ],
  ]
  return {
    state: 'written',
    file,
    code: `${sections
      .filter((lines) => lines.length > 0)
      .map((lines) => lines.join('\n'))
      .join('\n\n')}\n`,
    missing,
    remarks: [
      ...asked.map((other) => `The test needs the service of ${other}.`),
      ...(target.kind === 'module' ? [] : [howToRun]),
    ],
  }
}

const howToRun = 'Runs with NODE_ENV=test and NODE_OPTIONS="--require fanlight/register".'

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
  readonly notEqual: (actual: string, expected: string) => string
  /** `message`: a sentence as code. */
  readonly holds: (condition: string, message: string) => string
}

const runnerCode: Readonly<Record<TestRunner, RunnerCode>> = {
  node: {
    imports: ["import assert from 'node:assert/strict'", "import { after, it } from 'node:test'"],
    after: 'after',
    equal: (actual, expected) => `assert.equal(${actual}, ${expected})`,
    notEqual: (actual, expected) => `assert.notEqual(${actual}, ${expected})`,
    holds: (condition, message) => `assert.ok(${condition}, ${message})`,
  },
  vitest: {
    imports: ["import { afterAll, expect, it } from 'vitest'"],
    after: 'afterAll',
    equal: (actual, expected) => `expect(${actual}).toBe(${expected})`,
    notEqual: (actual, expected) => `expect(${actual}).not.toBe(${expected})`,
    holds: (condition, message) => `expect(${condition}, ${message}).toBe(true)`,
  },
}

function importsOf(code: RunnerCode, { needsProfile }: Expectations, target: readonly string[]): readonly string[] {
  const testing = `import { ${needsProfile ? 'expectProfile, ' : ''}profileRequest } from 'fanlight/testing'`
  const isEnded = target.length > 1
  const runner = isEnded ? code.imports : code.imports.map((line) => line.replace(`${code.after}, `, ''))
  return [...runner, ...target.slice(1), testing, ...target.slice(0, 1)]
}

/** Import of the target, then others that it needs. */
function targetImport({ kind, file }: TestFileOptions['target'], test: string, project: string): readonly string[] {
  const path = relative(dirname(test), file).split(sep).join('/')
  const from = quoted(path.startsWith('.') ? path : `./${path}`)
  if (kind === 'listener') return [`import app from ${from}`]
  const isNamed = /\bfrontController\b/.test(readFileSync(join(project, file), 'utf8'))
  const target = `import ${isNamed ? '{ frontController }' : 'frontController'} from ${from}`
  return [target, "import { loadRuntimeContext } from 'fanlight'"]
}

function appSetup({ after }: RunnerCode): readonly string[] {
  return [
    "const { context } = loadRuntimeContext({ cwd: '.', env: { APP_ENV: 'test', APP_STORE: 'memory:' } })",
    'const app = await frontController(context)',
    `${after}(() => app.close())`,
  ]
}

interface Sending {
  readonly code: RunnerCode
  readonly missing: readonly string[]
  readonly expected: Expectations
}

function sendingOf(request: RepeatableRequest, { code, missing, expected }: Sending): readonly string[] {
  const message = `Fill in ${missing.join(', ')}: the recording does not have ${missing.length === 1 ? 'it' : 'them'}`
  return [
    ...(missing.length === 0 ? [] : [`// TODO: fill in each ${mask}, which was masked, cut or not captured.`]),
    ...`const request = ${literal(requestOf(request))}`.split('\n'),
    ...(missing.length === 0 ? [] : [code.holds(`!JSON.stringify(request).includes('${mask}')`, quoted(message))]),
    `const ${expected.needsProfile ? '{ response, profile }' : '{ response }'} = await profileRequest(app, request)`,
  ]
}

/** Clients and proxies add these for themselves, and no application should decide by them. */
const unneeded =
  /^(?:accept-encoding|priority|upgrade-insecure-requests|dnt|traceparent|tracestate|baggage|x-debug-.*|sec-(?!fetch-site$).*)$/i

/** What is to be filled in, for people. */
function missingOf({ missing, body }: RepeatableRequest): readonly string[] {
  const values = missing.filter(({ place, name }) => place !== 'header' || !unneeded.test(name)).map(missingText)
  return body.state === 'missing' ? [...values, missingText({ place: 'body', name: '' })] : values
}

/** Without what every client makes itself; with `******` for what is missing. */
function requestOf(request: RepeatableRequest): Readonly<Record<string, unknown>> {
  const { method, target, missing } = request
  const isCut = missing.some(({ place, isCut }) => isCut && (place === 'path' || place === 'query'))
  const headers = headersOf(request)
  const body = bodyOf(request)
  return {
    ...(method !== 'GET' && { method }),
    url: isCut ? mask : target,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(body !== undefined && { body }),
  }
}

function headersOf({ headers, host, missing, body }: RepeatableRequest): Record<string, string> {
  const fields: Record<string, string> = {}
  if (!/^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(host)) fields['host'] = host
  const cookies = missing.filter(({ place }) => place === 'cookie').map(({ name }) => `${name}=${mask}`)
  const masked = missing.filter(({ place }) => place === 'header').map(({ name }) => [name, mask] as const)
  const cookie = cookies.length === 0 ? [] : [['cookie', cookies.join('; ')] as const]
  for (const [name, value] of [...headers, ...masked, ...cookie]) {
    const key = name.toLowerCase()
    if (unneeded.test(key)) continue
    const before = fields[key]
    fields[key] = before === undefined ? value : `${before}${key === 'cookie' ? '; ' : ', '}${value}`
  }
  // A value is sent as `application/json` by itself.
  if (body.state === 'there' && body.kind === 'json' && body.mediaType === 'application/json')
    delete fields['content-type']
  return fields
}

/** JSON as a value. `undefined`: there was none. */
function bodyOf({ body, missing }: RepeatableRequest): unknown {
  if (body.state === 'none') return undefined
  if (body.state === 'missing' || missing.some(({ place, isCut }) => place === 'body' && isCut)) return mask
  return body.kind === 'json' ? JSON.parse(body.text) : body.text
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

function mended(profile: Profile, runner: RunnerCode): Expectations {
  const { status, errorClass, errorMessage } = profile
  const below = runner.holds('response.status < 500', '`responded with ${response.status}`')
  const isThrown = errorClass !== null && (status >= 500 || status === 0)
  const title = isThrown ? `responds without ${errorClass}` : status >= 500 ? 'does not fail' : 'logs no error'
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

function asRecorded(profile: Profile, runner: RunnerCode): Expectations {
  const budgets = pinned.flatMap((name): readonly (readonly [string, number])[] => {
    const number = numberOf(profile, name)
    return number === null ? [] : [[name, number]]
  })
  const needsProfile = budgets.length > 0
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

/** Characters of an object or a list in one line; longer ones get a line for each member. */
const maxLine = 70

/** Plain JSON as it would be typed. `indent` is that of the line it begins on. */
export function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  const [open, close, space] = Array.isArray(value) ? ['[', ']', ''] : ['{', '}', ' ']
  const inner = `${indent}  `
  const members = Object.entries(value).map(([name, member]) => {
    return `${open === '[' ? '' : `${keyOf(name)}: `}${literal(member, inner)}`
  })
  const line = members.join(', ')
  if (line === '') return `${open}${close}`
  if (line.length <= maxLine && !line.includes('\n')) return `${open}${space}${line}${space}${close}`
  return `${open}\n${members.map((member) => `${inner}${member},\n`).join('')}${indent}${close}`
}

/** `__proto__` in brackets is a member like any other. */
function keyOf(name: string): string {
  if (name === '__proto__') return "['__proto__']"
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)
}

/** With everything written out that an editor does not show as it is. */
function quoted(text: string): string {
  return `'${escaped(text).replaceAll("'", "\\'")}'`
}

/** Escapes for what no editor shows as it is, and for halves of characters, which no file can hold. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replace(/[^ -~]/gu, (character) =>
      hasUnseen(character) || !character.isWellFormed()
        ? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
        : character,
    )
}
