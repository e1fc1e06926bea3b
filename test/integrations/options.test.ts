// What `fanlight(app, options)` says to options that cannot be used, and to what is not a server.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { describe, it } from 'node:test'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight } = await import('../../src/http.ts')

/** Calls it as code without types does. */
function given(options: unknown): void {
  Reflect.apply(fanlight, undefined, [createServer(), options])
}

describe('options of fanlight()', () => {
  for (const [options, message] of [
    [{ errorPage: true }, /^Option "errorPage" is true; allowed: 'framework', 'browser' or false$/],
    [{ captureBodies: 1 }, /^Option "captureBodies" is 1; allowed: true or false$/],
    [{ access: 'me' }, /^Option "access" is "me"; allowed: a function$/],
    [{ allowedPeers: '10.0.0.1' }, /^Option "allowedPeers" is "10\.0\.0\.1"; allowed: a list of addresses/],
    [
      { allowedPeers: ['everybody'] },
      /^Option "allowedPeers" cannot be used: "everybody" is not an address or network/,
    ],
    [{ redact: [] }, /^Option "redact" is a list; allowed: an object with headers, keys and patterns$/],
    [{ hints: {} }, /^Option "hints" is an object; allowed: a list/],
    [{ recording: null }, /^Option "recording" is null; allowed: an object/],
    [{ recording: { sampleRate: 7 } }, /^Option "recording\.sampleRate" is 7; allowed: /],
    [{ recording: { keep: { rate: 0 } } }, /^Option "keep" of recording is unknown\. Allowed: sampleRate, paths, /],
    [{ collectors: 'x' }, /^Option "collectors" is "x"; allowed: a list of collectors$/],
    [{ panels: () => [] }, /^Option "panels" is a function; allowed: a list of panels$/],
    [{ profilerPath: '_profiler' }, /^Option "profilerPath" is "_profiler"; allowed: a path such as \/_profiler/],
    [{ profilerPath: '/' }, /^Option "profilerPath" is "\/"/],
    [{ profilerPath: '/a/../b' }, /^Option "profilerPath"/],
    [{ profilerPath: '/{x}' }, /^Option "profilerPath"/],
    [{ errorpage: false }, /^Option "errorpage" is unknown\. Did you mean "errorPage"\? Allowed: errorPage, /],
    ['framework', /^The options are "framework"; allowed: an object with errorPage, /],
    [null, /^The options are null; /],
  ] as const) {
    it(JSON.stringify(options), () => {
      assert.throws(
        () => given(options),
        (error) => error instanceof TypeError && message.test(error.message),
      )
    })
  }

  it('that are undefined are not given', () => {
    given({ errorPage: undefined, access: undefined, profilerPath: undefined })
    given(undefined)
  })
})

describe('what is not a server', () => {
  for (const [what, value] of [
    ['nothing', undefined],
    ['null', null],
    ['a function', () => undefined],
    ['an object', {}],
  ] as const) {
    it(`${what} is a TypeError that says what is allowed`, () => {
      assert.throws(
        () => Reflect.apply(fanlight, undefined, [value]),
        (error) => error instanceof TypeError && /fanlight\/http takes a server of node:http/.test(error.message),
      )
    })
  }
})
