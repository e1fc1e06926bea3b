// Threats T59–T80 of SECURITY 5.5: the profiler's tokens, pages, gate and store.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { attackedApp, tokenOf } from '../support/attacked-app.ts'
import { compiledCode } from '../support/compiled-code.ts'
import { pageText } from '../support/page-text.ts'
import type { RawResponse } from '../support/raw-client.ts'
import { startApp } from '../support/running-app.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { requestBytes, wire } from '../support/wire.ts'

const running = await attackedApp()
const token = tokenOf(await running.send({ target: '/first?x=1' }))

const get = async (target: string, ...headers: string[]): Promise<RawResponse> => running.send({ target, headers })
const withoutNonce = ({ body }: RawResponse): string => body.replaceAll(/nonce="[^"]*"/g, '')

/** Names that are members of every object, ways out of a folder, and other things that a name of a panel is not. */
const oddNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'isPrototypeOf',
  '__defineGetter__',
  '__lookupSetter__',
  'watch',
  '../../x',
  '..%2f..%2fetc%2fpasswd',
  '%2e%2e%5c',
  'request%00',
  'request.html',
  'REQUEST',
  'Request',
  ' request',
  'request%20',
  'request,exception',
  'request;x',
  'file:///etc/passwd',
  'http://evil.example/',
  '{{7*7}}',
  '%27%20OR%20%271%27=%271',
  '*',
  '%25',
  '_',
  '0',
  '-1',
  '1e308',
  'NaN',
  'null',
  'undefined',
  'true',
  '[]',
  '%0d%0a',
  '%ff',
  '%',
  '',
  'a'.repeat(5000),
]

describe('5.5 profiler: tokens and names', () => {
  it('T59: tokens are unique, unsorted, without a common beginning, and of 50 bits at least', async () => {
    const tokens: string[] = []
    for (let round = 0; round < 150; round += 1) tokens.push(tokenOf(await get('/products')))
    assert.equal(new Set(tokens).size, tokens.length)
    assert.notDeepEqual([...tokens].sort(), tokens)
    assert.notDeepEqual([...tokens].sort().reverse(), tokens)
    const length = Math.min(...tokens.map((each) => each.length))
    let bits = 0
    for (let place = 0; place < length; place += 1) {
      const counts = new Map<string, number>()
      for (const each of tokens) counts.set(each[place] ?? '', (counts.get(each[place] ?? '') ?? 0) + 1)
      for (const count of counts.values()) bits -= (count / tokens.length) * Math.log2(count / tokens.length)
    }
    assert.ok(bits >= 50, `${bits} bits seen`)
  })

  it('T60: guesses and neighbours all get one and the same 404, which names no token', async () => {
    const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'
    const neighbours = [...token].flatMap((character, place) =>
      [1, 35].map(
        (step) => token.slice(0, place) + alphabet[(alphabet.indexOf(character) + step) % 36] + token.slice(place + 1),
      ),
    )
    const guesses = Array.from({ length: 60 }, (_, index) => (index * 7919).toString(36).padStart(12, '0'))
    const bodies = new Set<string>()
    for (const guess of [...neighbours, ...guesses]) {
      const answer = await get(`/_profiler/${guess}`)
      assert.equal(answer.status, 404, guess)
      bodies.add(withoutNonce(answer))
    }
    assert.equal(bodies.size, 1)
    assert.ok(![...bodies].some((body) => body.includes(token)))
  })

  it('T61: traversal, NUL, suffixes (but the two forms of a profile) and names of devices are not tokens', async () => {
    const odd = [
      '..%2f..%2fetc%2fpasswd',
      '../../etc/passwd',
      '%5c',
      '%5c..%5c',
      'CON',
      'NUL',
      'aux',
      'COM1',
      'lpt1.txt',
      '.',
      '..',
      '%2e',
      '%2e%2e',
      '~',
      '-',
      '%20',
      '%09',
      '%00',
      '%',
      '%zz',
      '%c0%af',
      '|ls',
      '`id`',
      '$(id)',
      ';id',
    ]
    const around = ['%00', '.html', '/', '/..', '%2f', '%20', '%09', '~', '::$DATA', '.', ';x', '%0a', '%3f', '%23']
    for (const name of [
      ...odd,
      ...around.map((suffix) => token + suffix),
      ...['%00', '%20', '.', '/', './', '%2e%2f'].map((prefix) => prefix + token),
      `A${token.slice(1)}`,
      token.slice(1),
      `${token}${token}`,
    ]) {
      const { status, body } = await get(`/_profiler/${name}`)
      assert.ok(
        status === 404 || (status === 200 && name === '.') || status === 301 || status === 308,
        `${name}: ${status}`,
      )
      assert.ok(!body.includes('root:'))
    }
  })

  it('T62: nothing in a token is a command of a store', async (test) => {
    const database = `sqlite:${join(makeTemporaryDirectory(test), 'store.db')}`
    await using stored = await startApp({ env: { APP_STORE: database } })
    const own = tokenOf(await stored.send({ target: '/x' }))
    for (const app of [running, stored]) {
      for (const name of [
        "'%20OR%20'1'='1",
        `${own}'--`,
        `${own}%27;DROP%20TABLE%20profile;--`,
        '______',
        '____________',
        '*',
        '************',
        '%25%25%25%25%25%25%25%25%25%25',
        '[a-z]*',
        '%7b%22$ne%22:null%7d',
        '%7b"$gt":""%7d',
        '[$ne]=1',
        '%0d%0aKEYS%20*',
        '%0d%0aFLUSHALL%0d%0a',
        '*1%0d%0a$4%0d%0aPING',
      ])
        assert.equal((await app.send({ target: `/_profiler/${name}` })).status, 404, name)
    }
    assert.equal((await stored.send({ target: `/_profiler/${own}` })).status, 200)
  })

  it('T63: names that other profilers answer to are unknown here', async () => {
    for (const name of [
      'open',
      'phpinfo',
      'search',
      'search_bar',
      'import',
      'export',
      'purge',
      'xdebug',
      'font/x.woff',
      'empty/search/results',
      'console',
      'eval',
      'env',
      'heapdump',
      'wdt',
      'toolbar',
      'info',
      'file',
      'config',
      'login',
    ])
      assert.equal((await get(`/_profiler/${name}`)).status, 404, name)
    for (const target of [
      '/_wdt/x',
      '/_debugbar/open',
      '/__debug__/',
      '/telescope',
      '/actuator/env',
      '/debug/pprof',
      '/server-status',
      '/_ignition/execute-solution',
    ])
      assert.equal((await get(target)).status, 404, target)
    assert.equal((await get('/_profiler/latest', 'Host: evil.example')).status, 403)
  })

  for (const [row, parameter] of [
    ['T64', 'panel'],
    ['T65', 'type'],
  ] as const) {
    it(`${row}: odd values of "${parameter}" are answered without members of Object`, async () => {
      for (const name of oddNames) {
        for (const query of [
          `${parameter}=${name}`,
          `${parameter}[]=${name}`,
          `${parameter}[${name}]=1`,
          `${parameter}=${name}&${parameter}=request`,
        ]) {
          const { status, body } = await get(`/_profiler/${token}?${query}`)
          assert.ok(status === 200 || status === 404 || status === 400, `${query.slice(0, 60)}: ${status}`)
          assert.ok(!body.includes('[native code]') && !body.includes('[object Object]'), query.slice(0, 60))
        }
      }
    })
  }
})

describe('5.5 profiler: the gate', () => {
  it('T66: a foreign Host opens nothing (DNS rebinding)', async () => {
    for (const host of (
      'evil.example 127.0.0.1.evil.example localhost.evil.example evil.localhost 127.0.0.1.nip.io 127.1 0.0.0.0 ' +
      '2130706433 0x7f000001 localhost. [::ffff:127.0.0.1]'
    ).split(' ')) {
      const forms = ['', '.json', '.md'].map((form) => `/_profiler/${token}${form}`)
      for (const target of [...forms, '/_profiler/', '/_profiler/latest', '/_profiler/routes']) {
        const answer = await get(target, `Host: ${host}`)
        assert.ok([400, 403, 404, 421].includes(answer.status), `${host}: ${answer.status}`)
        assert.ok(!answer.body.includes(token))
        assert.equal(answer.header('location'), undefined)
      }
    }
  })

  it('T67: another site embeds and fetches nothing', async () => {
    for (const dest of 'script image iframe object embed style empty frame audio serviceworker'.split(' ')) {
      const answer = await get(
        `/_profiler/${token}`,
        'Sec-Fetch-Site: cross-site',
        `Sec-Fetch-Dest: ${dest}`,
        'Sec-Fetch-Mode: no-cors',
      )
      assert.equal(answer.status, 403, dest)
      assert.equal(answer.header('cross-origin-resource-policy'), 'same-origin')
    }
  })

  it('T68: odd values of Sec-Fetch-Site and Origin are refused, and nothing dies', async () => {
    for (const [site, origin] of [
      ['zq', '['],
      ['', ''],
      ['none', '['],
      ['none', 'null'],
      ['none', 'http://'],
      ['none', '\xff'],
      ['__proto__', `http://127.0.0.1:${running.port}`],
      ['none, cross-site', `http://127.0.0.1:${running.port}`],
    ]) {
      const { status } = await get(`/_profiler/${token}`, `Sec-Fetch-Site: ${site}`, `Origin: ${origin}`)
      assert.equal(status, 403, `${site} ${origin}`)
    }
  })

  it('T69: there is one way to write an address of the profiler, and none for a foreign Host', async () => {
    const paths = (
      String.raw`//_profiler/ /%5fprofiler/ /%5Fprofiler/ /_PROFILER/ /_Profiler/ /_profiler;x/ /index.php/_profiler/ ` +
      String.raw`/index.php_profiler/ /./_profiler/ /x/../_profiler/ /_profiler// /_profiler/./ /_profiler/x/../ ` +
      String.raw`/_profiler/%2e/ /\_profiler/ /_profiler%2f /%2f_profiler/ /_profiler/;/ /_profiler%20/ /_profiler/%00`
    ).split(' ')
    for (const path of paths.map((start) => start + token)) {
      assert.notEqual((await get(path)).status, 200, path)
      assert.notEqual((await get(path, 'Host: evil.example')).status, 200, path)
    }
    const absolute = async (host: string, named: string): Promise<number | undefined> => {
      const bytes = requestBytes(`GET http://${named}/_profiler/${token} HTTP/1.1`, [`Host: ${host}`])
      return (await wire(running.port, bytes)).responses[0]?.status
    }
    assert.equal(await absolute('127.0.0.1', 'evil.example'), 403)
    assert.equal(await absolute('evil.example', `evil.example:${running.port}`), 403)
  })

  it('T70: another method is a 405 whose message and Allow agree', async () => {
    for (const target of ['/_profiler/', '/_profiler/latest', `/_profiler/${token}`]) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
        const answer = await running.send({ method, target })
        assert.equal(answer.status, 405)
        assert.equal(answer.header('allow'), 'GET, HEAD')
        assert.ok(pageText(answer.body).includes('Method Not Allowed (Allow: GET, HEAD)'))
      }
    }
  })

  it('T71: HEAD has no body and passes the same gate', async () => {
    for (const [host, status] of [
      [`127.0.0.1:${running.port}`, 200],
      ['evil.example', 403],
    ] as const) {
      const { text } = await wire(running.port, requestBytes(`HEAD /_profiler/${token} HTTP/1.1`, [`Host: ${host}`]), {
        method: 'HEAD',
      })
      assert.ok(text.startsWith(`HTTP/1.1 ${status} `), text.slice(0, 40))
      assert.ok(text.endsWith('\r\n\r\n'))
    }
  })
})

describe('5.5 profiler: what it keeps', () => {
  it('T76: no GET changes anything', async () => {
    const { count } = await running.profiles.stats()
    for (const target of [
      '/_profiler/purge',
      '/_profiler/clear',
      '/_profiler/delete',
      `/_profiler/${token}/delete`,
      `/_profiler/${token}?action=delete`,
      '/_profiler/?purge=1',
      '/_profiler/?action=purge',
      '/_profiler/latest?purge',
    ])
      await get(target)
    assert.equal((await get(`/_profiler/${token}`)).status, 200)
    assert.ok((await running.profiles.stats()).count >= count)
  })

  it('T77: requests at the same time do not see each other', async () => {
    for (let round = 0; round < 3; round += 1) {
      const markers = Array.from({ length: 40 }, (_, index) => `mark-${round}-${index}-`)
      const answers = await Promise.all(
        markers.map((marker) => get(`/${marker}?q=${marker}`, `Referer: http://r/${marker}`, `User-Agent: ${marker}`)),
      )
      for (const [index, answer] of answers.entries()) {
        const own = [markers[index]]
        assert.deepEqual([...new Set(answer.body.match(/mark-\d+-\d+-/g))], own)
        const kept = JSON.stringify(await running.profiles.read(tokenOf(answer)), withoutBlame)
        assert.deepEqual([...new Set(kept.match(/mark-\d+-\d+-/g))], own)
      }
    }
  })
})

/** Who held the event loop for whom is told by method and path: the one thing that a profile says of other requests. */
function withoutBlame(key: string, value: unknown): unknown {
  return key === 'blockedBy' || key === 'blocked' ? undefined : value
}

describe('5.5 profiler: production', () => {
  it('T78: nothing of it is there', async () => {
    await using production = await startApp({ env: { APP_ENV: 'prod' } })
    const constant = (body: string): string => body.replaceAll(/[0-9a-z]{12}/g, '')
    const ordinary = await production.send({ target: '/zq' })
    for (const target of [
      '/_profiler',
      '/_profiler/',
      '/_profiler/latest',
      '/_profiler/routes',
      `/_profiler/${token}`,
      '/_profiler/a/b',
      '//_profiler/',
      '/_PROFILER/',
    ]) {
      for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE']) {
        const answer = await production.send({ method, target })
        assert.equal(answer.status, 404)
        assert.equal(constant(answer.body), constant(ordinary.body))
        assert.deepEqual(
          answer.headers.map(([name]) => name),
          ordinary.headers.map(([name]) => name),
        )
      }
    }
    assert.ok(!ordinary.headers.some(([name]) => name.startsWith('x-debug') || name === 'allow'))
  })

  const start = (env: Readonly<Record<string, string>>): Promise<{ code: number | null; output: string }> =>
    new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        ['app/main.ts'],
        {
          cwd: join(import.meta.dirname, '../..'),
          env: { PATH: process.env['PATH'], PORT: '0', APP_STORE: 'memory:', ...compiledCode, ...env },
        },
        (_error, stdout, stderr) => resolve({ code: child.exitCode, output: stdout + stderr }),
      )
    })

  it('T79: debug in production with one setting does not start, and says why', async () => {
    for (const [env, reason] of [
      [{ APP_ENV: 'prod', APP_DEBUG: '1' }, /APP_DEBUG.*APP_ALLOW_DEBUG_IN_PRODUCTION/],
      [{ APP_ENV: 'dev', HOST: '0.0.0.0' }, /HOST="0\.0\.0\.0" is not a loopback address/],
    ] as const) {
      const { code, output } = await start(env)
      assert.equal(code, 1, JSON.stringify(env))
      assert.match(output, reason)
      assert.equal(output.trim().split('\n').length, 1)
    }
  })
})

// | row | where it is |
// |---|---|
// | T72–T75 for every listed position, T74 also in bodies of the store file | redaction.test.ts, by property |
// | T80 | test/stores/open-engine.test.ts |
