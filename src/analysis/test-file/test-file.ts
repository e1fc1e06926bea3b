// Writes a test from a profile: it sends the recorded request and fails until the recorded error is fixed, or checks what succeeded.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { visibleLine } from '../../base/markdown-text.ts'
import type { Profile } from '../../observe/profile.ts'
import { isoTime, shortened } from '../../profiles/profile-facts.ts'
import { repeatableRequest } from '../../profiles/repeatable-request.ts'
import { Expression, literal, quoted, MissingValues } from './literal.ts'
import { runnerCode, type RunnerCode, type TestRunner } from './runners.ts'
import { expectationsOf, hasFailed, outgoingCode, requestCode } from './test-parts.ts'
import type { Expectations, RequestCode } from './test-parts.ts'

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
  const values = new MissingValues()
  const request = requestCode(repeatable.request, values)
  const { stubs, unstubbed } = outgoingCode(profile, values)
  const code = runnerCode[runner]
  const isApp = target.kind === 'module'
  const expectations = expectationsOf(profile, code, isApp)
  const [path = ''] = repeatable.request.target.split('?')
  const name = `${profile.method} ${shortened(path, 80)}`
  const file = options.file ?? suggestedFile(profile, path)
  const sections = [
    headerOf(profile, name),
    importsOf(code, expectations, stubs.length > 0, targetImport(target, file, project)),
    missingOf(values),
    agentOf(stubs, unstubbed),
    isApp ? appSetup(code) : listenerSetup(code, stubs.length > 0),
    testOf(name, request, expectations, values.all.length > 0 ? missingCheck(code) : [], isApp),
  ]
  return {
    state: 'written',
    file,
    code: `${sections
      .filter((lines) => lines.length > 0)
      .map((lines) => lines.join('\n'))
      .join('\n\n')}\n`,
    missing: values.all.map(({ what }) => what),
    remarks: [
      ...(stubs.length > 0 && !existsSync(join(project, 'node_modules/undici'))
        ? ['The test needs undici: npm install --save-dev undici.']
        : []),
      ...unstubbed.map((request) => `Not stubbed: ${request}.`),
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

function importsOf(
  code: RunnerCode,
  { needsProfile }: Expectations,
  hasStubs: boolean,
  target: TargetImport,
): readonly string[] {
  const app = [
    "import { loadRuntimeContext } from 'fanlight'",
    needsProfile
      ? "import { expectProfile, profileRequest } from 'fanlight/testing'"
      : "import { profileRequest } from 'fanlight/testing'",
  ]
  const server = ["import { once } from 'node:events'", "import { createServer } from 'node:http'"]
  return [
    ...code.imports,
    ...(target.kind === 'module' ? app : server),
    ...(hasStubs ? ["import { MockAgent, setGlobalDispatcher } from 'undici'"] : []),
    target.line,
  ]
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

function missingOf(values: MissingValues): readonly string[] {
  if (values.all.length === 0) return []
  return [
    '// TODO: fill in what the recording does not have, because it was masked, cut or not captured.',
    'const missing = {',
    ...values.all.map(({ name, what }) => `  ${name}: '', ${comment(what)}`),
    '}',
  ]
}

function missingCheck(code: RunnerCode): readonly string[] {
  const message = '`Fill in missing.${name} in this file: the recording does not have it`'
  return ['for (const [name, value] of Object.entries(missing)) {', `  ${code.notEqual('value', "''", message)}`, '}']
}

function agentOf(stubs: readonly string[], unstubbed: readonly string[]): readonly string[] {
  const others = unstubbed.map((request) => comment(`Not stubbed: ${request}`))
  if (stubs.length === 0) return others
  return [
    '// What other services responded to `fetch`, each once and in this order. Other requests of `fetch` are refused.',
    ...others,
    'const agent = new MockAgent()',
    'agent.disableNetConnect()',
    'setGlobalDispatcher(agent)',
    ...stubs,
  ]
}

function appSetup({ after }: RunnerCode): readonly string[] {
  return [
    "const { context } = loadRuntimeContext({ cwd: '.', env: { APP_ENV: 'test', APP_STORE: 'memory:' } })",
    'const app = await frontController(context)',
    `${after}(() => app.close())`,
  ]
}

function listenerSetup({ after }: RunnerCode, hasStubs: boolean): readonly string[] {
  return [
    "const server = createServer(listener).listen(0, '127.0.0.1')",
    "await once(server, 'listening')",
    'const { port } = Object(server.address())',
    ...(hasStubs ? ['agent.enableNetConnect(`127.0.0.1:${port}`)'] : []),
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
