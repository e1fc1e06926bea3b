import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { InvalidParamError, MissingParamsError, UnknownRouteError } from '../../../src/routing/errors.ts'
import { UrlGenerator } from '../../../src/routing/url-generator.ts'
import type { UrlGeneratorOptions, UrlType } from '../../../src/routing/url-generator.ts'
import type { RouteCollection } from '../../../src/routing/route-collection.ts'
import { RuleCounts, writeForJavaScript } from './support/vector-rules.ts'
import { collectionOf, readVectors, vectorText } from './support/vectors.ts'
import type { MatchFile, VectorRoute, VectorText } from './support/vectors.ts'

/** One call of the original's generator. */
interface Call {
  readonly collection?: string
  readonly route: string
  readonly params: Readonly<Record<string, unknown>>
  readonly type?: UrlType
  readonly strict?: boolean | null
  readonly scheme?: string
  readonly host?: string
  readonly httpPort?: number
  readonly httpsPort?: number
  readonly baseUrl?: string
  readonly pathInfo?: string
  readonly contextParams?: Readonly<Record<string, unknown>>
  readonly defaultLocale?: string
  readonly outcome: { readonly url: string } | { readonly error: string; readonly message: string }
}

const errors: Readonly<Record<string, string>> = {
  RouteNotFoundException: 'UnknownRouteError',
  MissingMandatoryParametersException: 'MissingParamsError',
  InvalidParameterException: 'InvalidParamError',
}

describe('UrlGenerator on the vectors', () => {
  const rules = new RuleCounts()
  let made = 0

  for (const name of ['generate-main.json', 'generate-localized.json']) {
    it(`makes the URLs of the original: ${name}`, () => {
      const file = readVectors<{ routes: readonly VectorRoute[]; calls: readonly Call[] }>(name)
      const routes = collectionOf(file.routes.map((route) => writeForJavaScript(route, rules)))
      for (const call of file.calls) check(routes, call)
    })
  }

  it('makes the URLs of the original: generate-collections.json', () => {
    const collections = new Map<string, RouteCollection>()
    for (const call of readVectors<{ collections: readonly Call[] }>('generate-collections.json').collections) {
      const name = call.collection ?? ''
      let routes = collections.get(name)
      if (routes === undefined) {
        routes = collectionOf(readVectors<MatchFile>(name).routes.map((route) => writeForJavaScript(route, rules)))
        collections.set(name, routes)
      }
      check(routes, call)
    }
  })

  it('was asked every call of the vectors', (context) => {
    assert.equal(made, 450)
    context.diagnostic(`deliberate differences: ${rules}`)
  })

  function check(routes: RouteCollection, call: Call): void {
    made += 1
    const options: UrlGeneratorOptions = {
      ...(call.strict === undefined ? {} : { strict: call.strict }),
      ...(call.defaultLocale === undefined ? {} : { locale: call.defaultLocale }),
      ...(call.contextParams === undefined ? {} : { params: call.contextParams }),
      ...(call.baseUrl === undefined ? {} : { basePath: call.baseUrl }),
      ...(call.httpPort === undefined ? {} : { httpPort: call.httpPort }),
      ...(call.httpsPort === undefined ? {} : { httpsPort: call.httpsPort }),
    }
    const base = { scheme: call.scheme ?? 'http', host: call.host ?? 'shop.example.test', path: call.pathInfo ?? '/' }
    const generator = new UrlGenerator(routes, base, options)
    const params = Object.fromEntries(
      Object.entries(call.params).map(([name, value]) => [name, isText(value) ? vectorText(value) : value]),
    )
    const outcome = describeOutcome(() =>
      generator.generate(call.route, params, { type: call.type ?? 'absolute_path' }),
    )
    const expected = matchWholly(call, replaceBytes(call, expectation(call), rules), rules)
    assert.deepEqual(outcome, expected, JSON.stringify(call))
  }
})

function isText(value: unknown): value is VectorText {
  return typeof value === 'object' && value !== null && '$base64' in value
}

function describeOutcome(make: () => string): object {
  try {
    return { url: make() }
  } catch (error) {
    assert.ok(
      error instanceof UnknownRouteError || error instanceof MissingParamsError || error instanceof InvalidParamError,
    )
    return {
      error: error.name,
      ...(error instanceof InvalidParamError ? { param: error.param, value: error.value } : {}),
    }
  }
}

function expectation(call: Call): object {
  if ('url' in call.outcome) return call.outcome
  const error = errors[call.outcome.error]
  const invalid = /^Parameter "(.*?)" for route ".*?" must match ".*" \("(.*)" given\)/s.exec(call.outcome.message)
  return invalid === null ? { error } : { error, param: invalid[1], value: invalid[2] }
}

/** Rule 3: text is Unicode; bytes that are none become the replacement character. */
function replaceBytes(call: Call, expected: object, rules: RuleCounts): object {
  if (!Object.values(call.params).some(isText) || !('url' in expected)) return expected
  rules.count('text is Unicode')
  return { url: String(expected.url).replaceAll('%FF', '%EF%BF%BD') }
}

/** Rule 4: a requirement matches the whole value; the original lets a line feed follow. */
function matchWholly(call: Call, expected: object, rules: RuleCounts): object {
  const taken = Object.entries(call.params).find(([, value]) => typeof value === 'string' && value.endsWith('\n'))
  if (taken === undefined || !('url' in expected)) return expected
  rules.count('requirements match the whole value')
  return { error: 'InvalidParamError', param: taken[0], value: taken[1] }
}
