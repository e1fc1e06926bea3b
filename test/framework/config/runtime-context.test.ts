// The runtime context: precedence, defaults, and what stops a start.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { fc } from '../../support/fast-check.ts'
import {
  loadRuntimeContext,
  RuntimeContextError,
  type RuntimeContext,
} from '../../../src/http/config/runtime-context.ts'
import { allowedNodes } from '../../../src/base/node-version.ts'
import { variables } from '../../../src/http/config/variables.ts'

const root = mkdtempSync(path.join(tmpdir(), 'fanlight-context-'))
after(() => rmSync(root, { recursive: true }))
let count = 0

function folder(files: Readonly<Record<string, string>> = {}): string {
  const cwd = path.join(root, String((count += 1)))
  mkdirSync(cwd)
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(cwd, name), content)
  return cwd
}

function load(
  env: Readonly<Record<string, string | undefined>> = {},
  files: Readonly<Record<string, string>> = {},
): RuntimeContext {
  return loadRuntimeContext({ cwd: folder(files), env, hostname: 'web-1' }).context
}

function refusal(env: Readonly<Record<string, string>>, files: Readonly<Record<string, string>> = {}): string {
  try {
    load(env, files)
  } catch (error) {
    assert.ok(error instanceof RuntimeContextError)
    assert.equal(error.code, 'ERR_RUNTIME_CONTEXT')
    assert.doesNotMatch(error.message, /\n/)
    return error.message
  }
  return 'started'
}

describe('loadRuntimeContext: defaults', () => {
  it('behaves as prod when nothing is said', () => {
    const { projectRoot, ...context } = load()
    assert.ok(path.isAbsolute(projectRoot))
    assert.deepEqual(context, {
      env: 'prod',
      debug: false,
      lock: 0,
      store: 'sqlite:var/fanlight.db',
      allowedHosts: [],
      trustedProxies: [],
      host: '127.0.0.1',
      port: 8000,
      tls: null,
      settingPrefix: 'APP_',
      version: null,
      service: null,
      errorFiles: null,
      editor: null,
      pathMap: [],
      profilerKey: null,
      cookieKeys: [],
      log: { access: null, channels: {}, level: null },
      mail: 'send',
      sql: 'off',
      recording: {
        mode: 'all',
        sampleRate: null,
        signingKey: null,
        maxProfiles: null,
        maxBytes: null,
        maxAgeMs: null,
      },
      otlp: { address: null, protocol: 'http/protobuf', headers: null },
    })
  })

  it('turns debug on in dev and test, and allows the hosts of this machine', () => {
    assert.equal(load({ APP_ENV: 'test' }).debug, true)
    const dev = load({ APP_ENV: 'dev' })
    assert.equal(dev.debug, true)
    assert.deepEqual(dev.allowedHosts, ['localhost', '127.0.0.1', '[::1]'])
    assert.equal(load({ APP_ENV: 'dev', APP_DEBUG: '0' }).debug, false)
  })

  it('is frozen, lists included', () => {
    const context = load({ APP_ENV: 'dev', APP_TRUSTED_PROXIES: '10.0.0.1' })
    assert.ok(
      Object.isFrozen(context) && Object.isFrozen(context.allowedHosts) && Object.isFrozen(context.trustedProxies),
    )
  })

  it('finds the project root from a folder inside it', () => {
    const cwd = folder({ 'package.json': '{}' })
    mkdirSync(path.join(cwd, 'a'))
    assert.equal(loadRuntimeContext({ cwd: path.join(cwd, 'a'), env: {} }).context.projectRoot, cwd)
  })
})

describe('loadRuntimeContext: sources', () => {
  const files = {
    '.env': 'APP_ENV=dev\nAPP_LOCK=1\nAPP_STORE=memory:\nPORT=1\n# a comment\nexport HOST="127.0.0.2" # another\n',
    '.env.local': 'APP_LOCK=2\nPORT=2\n',
    '.env.dev': 'APP_LOCK=3\nPORT=3\nAPP_ENV=prod\n',
    '.env.dev.local': 'PORT=4\n',
    '.env.prod': 'PORT=5\n',
  }

  it('lets the environment win over .env.<env>.local, .env.<env>, .env.local and .env', () => {
    const context = load({ APP_STORE: 'sqlite:own.db' }, files)
    assert.equal(context.env, 'dev')
    assert.equal(context.store, 'sqlite:own.db')
    assert.equal(context.port, 4)
    assert.equal(context.lock, 3)
    assert.equal(context.host, '127.0.0.2')
  })

  it('reads the files of the environment that is named', () => {
    const context = load({ APP_ENV: 'prod' }, files)
    assert.equal(context.port, 5)
    assert.equal(context.lock, 2)
    assert.equal(context.debug, false)
  })

  it('says which file cannot be read', () => {
    const cwd = folder()
    mkdirSync(path.join(cwd, '.env'))
    assert.throws(() => loadRuntimeContext({ cwd, env: {} }), /The file "\.env" cannot be read \(EISDIR\)/)
  })

  it('warns of an unknown name with the nearest known one, and never shows its value', () => {
    const { warnings } = loadRuntimeContext({
      cwd: folder({ '.env': 'APP_LOK=1\n' }),
      env: { APP_SECRET: 'canary', OTHER: 'x', APP_STROE: 'memory:' },
    })
    assert.deepEqual(warnings, [
      'Unknown variable APP_LOK, did you mean APP_LOCK?',
      'Unknown variable APP_SECRET',
      'Unknown variable APP_STROE, did you mean APP_STORE?',
    ])
  })

  it('does not warn of names that package.json says are the application’s, and suggests them', () => {
    const warningsOf = (manifest: string, name: string): readonly string[] =>
      loadRuntimeContext({ cwd: folder({ 'package.json': manifest }), env: { [name]: '1' } }).warnings
    const manifest = '{ "fanlight": { "settings": ["APP_SHIPPING"] } }'
    assert.deepEqual(warningsOf(manifest, 'APP_SHIPPING'), [])
    assert.deepEqual(warningsOf(manifest, 'APP_SHIPING'), ['Unknown variable APP_SHIPING, did you mean APP_SHIPPING?'])
    for (const other of ['{}', '{ "fanlight": 1 }', '{ "fanlight": { "settings": "APP_SHIPPING" } }', 'no JSON']) {
      assert.deepEqual(warningsOf(other, 'APP_SHIPPING'), ['Unknown variable APP_SHIPPING'], other)
    }
  })
})

describe('loadRuntimeContext: values', () => {
  it('reads the key to the profiler, and never repeats one that cannot be used', () => {
    assert.equal(load({ APP_PROFILER_KEY: 'on' }).profilerKey, 'on')
    assert.equal(load({ APP_PROFILER_KEY: 'off' }).profilerKey, 'off')
    const { profilerKey } = load({ APP_PROFILER_KEY: 'a-key_of-my-own-0123' })
    assert.ok(typeof profilerKey === 'object' && profilerKey?.symmetricKeySize === 20)
    for (const wrong of ['hunter2', 'a-key_of-my-own-012', 'a key of my own 0123456789', 'x'.repeat(201)]) {
      assert.throws(
        () => load({ APP_PROFILER_KEY: wrong }),
        ({ message }: Error) =>
          message.startsWith('APP_PROFILER_KEY="******" cannot be used: allowed are on, off, or 20 to 200 letters') &&
          !message.includes(wrong),
      )
    }
  })

  it('holds mail back in debug only', () => {
    assert.equal(load({}).mail, 'send')
    assert.equal(load({ APP_ENV: 'dev', APP_MAIL: 'hold' }).mail, 'hold')
    assert.throws(
      () => load({ APP_ENV: 'dev', APP_MAIL: 'off' }),
      /APP_MAIL="off" cannot be used: allowed are send, hold/,
    )
    for (const without of [{ APP_ENV: 'prod' }, { APP_ENV: 'dev', APP_DEBUG: '0' }]) {
      assert.throws(() => load({ ...without, APP_MAIL: 'hold' }), /APP_MAIL="hold" needs debug/)
    }
  })

  it('lets rows be read if told so', () => {
    assert.equal(load({ APP_SQL: 'read' }).sql, 'read')
    assert.throws(() => load({ APP_SQL: 'write' }), /APP_SQL="write" cannot be used: allowed are off, read/)
  })

  it('reads the level of the log, and those of channels', () => {
    assert.deepEqual(load({ APP_LOG_LEVEL: ' warn, router=debug ,app=silent' }).log, {
      access: null,
      channels: { router: 'debug', app: 'silent' },
      level: 'warn',
    })
    assert.deepEqual(load({ APP_LOG_LEVEL: 'app=trace' }).log.level, null)
    for (const wrong of ['loud', 'info,debug', 'app=', 'app=loud', '=info', '']) {
      assert.throws(
        () => load({ APP_LOG_LEVEL: wrong }),
        /^RuntimeContextError: APP_LOG_LEVEL=.* cannot be used: allowed are fatal, error, warn, info, debug, trace, silent; for a channel, router=debug; separated by commas$/,
      )
    }
  })

  it('reads which responses get an access line', () => {
    for (const [value, access] of [
      ['all', 'all'],
      ['errors', 'errors'],
      ['off', 'off'],
      ['0.25', 0.25],
    ] as const) {
      assert.equal(load({ APP_ACCESS_LOG: value }).log.access, access)
    }
    for (const wrong of ['some', '1.5', '-1', '10%']) {
      assert.throws(
        () => load({ APP_ACCESS_LOG: wrong }),
        /allowed are all, errors, off, or a share from 0 to 1 such as 0\.1$/,
      )
    }
  })

  it('reads lists, in the form they are compared in', () => {
    const context = load({
      APP_ALLOWED_HOSTS: ' Shop.Example , *.example.org,::1, [::2]',
      APP_TRUSTED_PROXIES: '10.0.0.0/8, ::1,',
      HOST: '[::1]',
    })
    assert.deepEqual(context.allowedHosts, ['shop.example', '*.example.org', '[::1]', '[::2]'])
    assert.deepEqual(context.trustedProxies, ['10.0.0.0/8', '::1'])
    assert.equal(context.host, '::1')
  })

  for (const [text, lock] of [
    ['0', 0],
    ['1', 1],
    ['-1', -1],
    ['3', 3],
    ['9007199254740991', 9_007_199_254_740_991],
  ] as const) {
    it(`takes ${text} for a lock`, () => assert.equal(load({ APP_LOCK: text }).lock, lock))
  }

  const unusable: readonly [string, string][] = [
    ['APP_ENV', 'production'],
    ['APP_ENV', ''],
    ['APP_DEBUG', 'true'],
    ['APP_LOCK', '1.5'],
    ['APP_LOCK', '9007199254740993'],
    ['APP_LOCK', '0x1'],
    ['APP_LOCK', ''],
    ['APP_STORE', 'sqlite:'],
    ['APP_STORE', 'mysql://host'],
    ['APP_ALLOWED_HOSTS', 'a/b'],
    ['APP_ALLOWED_HOSTS', 'example.org:8000'],
    ['APP_ALLOWED_HOSTS', '*'],
    ['APP_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['APP_TRUSTED_PROXIES', 'localhost'],
    ['APP_TRUSTED_PROXIES', '::ffff:10.0.0.0/8'],
    ['HOST', 'a b'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', 'http'],
  ]
  for (const [name, value] of unusable) {
    it(`stops the start for ${name}="${value}" and says what is allowed`, () => {
      const message = refusal({ [name]: value })
      assert.ok(message.startsWith(`${name}="${value}" cannot be used: allowed are `), message)
    })
  }

  it('masks what a store address may hold, and keeps to one line', () => {
    for (const store of [
      'mysql://user:hunter2@host/0?password=hunter2',
      'redis://user:hunter2\n@x@host',
      'redis:/user:hunter2@host',
      'redis:user:hunter2@host',
      'user:hunter2@host',
    ]) {
      assert.doesNotMatch(refusal({ APP_STORE: store }), /hunter2/)
    }
    assert.match(refusal({ PORT: 'a\nb\u001b[31m' }), /^PORT="a\\nb\\u001b\[31m"/)
  })

  it('gives a context or one line for any value', () => {
    const names = fc.constantFrom(...Object.keys(variables))
    const cwd = folder()
    fc.assert(
      fc.property(names, fc.oneof(fc.string(), fc.domain(), fc.ipV6(), fc.integer().map(String)), (name, value) => {
        try {
          loadRuntimeContext({ cwd, env: { [name]: value } })
        } catch (error) {
          assert.ok(error instanceof RuntimeContextError && !error.message.includes('\n'))
        }
      }),
      { numRuns: 200 },
    )
  })
})

it('loadRuntimeContext: version of the application: takes a number or a commit, and refuses what is spaced or longer than 64 characters; an empty one counts as none', () => {
  for (const version of ['2.1.0', 'a3f1c9e', 'v2+build.7', 'x'.repeat(64)]) {
    assert.equal(load({ APP_VERSION: version }).version, version)
  }
  assert.equal(load({ APP_VERSION: '' }).version, null)
  for (const version of ['two words', 'x'.repeat(65), 'é', 'a\nb']) {
    assert.match(
      refusal({ APP_VERSION: version }),
      /^APP_VERSION=.* cannot be used: allowed are 1 to 64 characters of ASCII/,
    )
  }
})

describe('loadRuntimeContext: name of the application', () => {
  const named = (name: unknown): Readonly<Record<string, string>> => ({ 'package.json': JSON.stringify({ name }) })

  it('takes APP_SERVICE, else OTEL_SERVICE_NAME, else the name of the package', () => {
    const files = { ...named('@acme/shop'), '.env': 'OTEL_SERVICE_NAME="web shop"' }
    assert.equal(load({ APP_SERVICE: 'checkout', OTEL_SERVICE_NAME: 'other' }, files).service, 'checkout')
    assert.equal(load({ APP_SERVICE: '' }, files).service, 'web shop')
    assert.equal(load({ OTEL_SERVICE_NAME: ' ' }, files).service, '@acme/shop')
    assert.equal(load({}, named('shop')).service, 'shop')
    assert.deepEqual(loadRuntimeContext({ cwd: folder(files), env: {} }).warnings, [])
  })

  it('refuses an APP_SERVICE that is spaced or longer than 64 characters, and cuts the others', () => {
    for (const name of ['two words', 'x'.repeat(65), 'é']) {
      assert.match(
        refusal({ APP_SERVICE: name }),
        /^APP_SERVICE=.* cannot be used: allowed are 1 to 64 characters of ASCII/,
      )
    }
    assert.equal(load({ OTEL_SERVICE_NAME: 'x'.repeat(100) }).service, 'x'.repeat(64))
    assert.equal(load({}, named('x'.repeat(100))).service, 'x'.repeat(64))
  })

  it('has none where package.json names none', () => {
    for (const content of ['{}', '{"name":7}', '{"name":""}', '[]', 'null', '{"name":']) {
      assert.equal(load({}, { 'package.json': content }).service, null, content)
    }
  })
})

describe('loadRuntimeContext: editor', () => {
  it('takes a name, an address of a known scheme, and pairs of directories', () => {
    assert.equal(load({ APP_EDITOR: 'vscode' }).editor, 'vscode')
    const address = 'vscode://vscode-remote/wsl+Ubuntu%f:%l:%c'
    assert.equal(load({ APP_EDITOR: address }).editor, address)
    assert.equal(load({ APP_EDITOR: 'http://localhost:63342/api/file%f:%l' }).editor?.startsWith('http:'), true)
    const { pathMap } = load({ APP_PATH_MAP: String.raw`/app=/home/ann/my shop, /lib=C:\lib` })
    assert.deepEqual(pathMap, [
      ['/app', '/home/ann/my shop'],
      ['/lib', String.raw`C:\lib`],
    ])
    assert.ok(Object.isFrozen(pathMap) && pathMap.every((pair) => Object.isFrozen(pair)))
  })

  it('refuses other schemes and paths that are not absolute, and says what is allowed', () => {
    for (const editor of ['notepad', 'javascript:%f', 'http://example.org/%f', 'vscode://file', 'data:text/html,%f']) {
      assert.match(refusal({ APP_EDITOR: editor }), /^APP_EDITOR=".*" cannot be used: allowed are vscode, /)
    }
    for (const map of ['/app', 'app=/x', '/app=x', '/a=/b=/c']) {
      assert.match(refusal({ APP_PATH_MAP: map }), /^APP_PATH_MAP=.*\/app=\/home\/ann\/shop/)
    }
  })
})

describe('loadRuntimeContext: debug', () => {
  const both = { APP_ENV: 'prod', APP_DEBUG: '1', APP_ALLOW_DEBUG_IN_PRODUCTION: 'web-1' }

  it('is refused in production without a second setting that names this machine', () => {
    assert.match(
      refusal({ APP_DEBUG: '1' }),
      /APP_DEBUG="1" is not allowed with APP_ENV="prod".*APP_ALLOW_DEBUG_IN_PRODUCTION.*"web-1"/,
    )
    assert.match(
      refusal({ ...both, APP_ALLOW_DEBUG_IN_PRODUCTION: 'web-2' }),
      /"web-2" cannot be used: allowed is "web-1"/,
    )
    assert.match(refusal({ ...both, APP_DEBUG: '0' }), /APP_DEBUG is not "1"/)
    assert.match(refusal({ APP_ALLOW_DEBUG_IN_PRODUCTION: 'web-1' }), /APP_DEBUG is not "1"/)
  })

  it('is on in production with both settings, and warns loudly', () => {
    const { context, warnings } = loadRuntimeContext({ cwd: folder(), env: both, hostname: 'web-1' })
    assert.equal(context.debug, true)
    assert.match(warnings[0] ?? '', /DEBUG IS ON IN PRODUCTION/)
  })

  it('needs named hosts on an address that others reach', () => {
    for (const host of ['0.0.0.0', '::', '192.168.1.1', 'example.org']) {
      assert.match(refusal({ APP_ENV: 'dev', HOST: host }), /APP_ALLOWED_HOSTS/)
      assert.match(refusal({ APP_ENV: 'dev', HOST: host, APP_ALLOWED_HOSTS: ' , ' }), /APP_ALLOWED_HOSTS/)
      assert.equal(refusal({ APP_ENV: 'dev', HOST: host, APP_ALLOWED_HOSTS: 'dev.example' }), 'started')
      assert.equal(refusal({ APP_ENV: 'prod', HOST: host }), 'started')
    }
    for (const host of ['127.0.0.1', '127.9.9.9', '::1', 'localhost'])
      assert.equal(refusal({ APP_ENV: 'dev', HOST: host }), 'started')
  })
})

describe('loadRuntimeContext: version of Node', () => {
  it('allows those of package.json', () => {
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly engines: unknown }
    assert.deepEqual(engines, { node: allowedNodes })
  })
  for (const version of ['22.18.0', '22.99.1', '24.11.0', '24.21.0', '26.0.0', '27.1.0-nightly']) {
    it(`starts on ${version}`, () => void loadRuntimeContext({ cwd: root, env: {}, nodeVersion: version }))
  }
  for (const version of ['20.20.2', '22.17.1', '23.11.0', '24.10.0', '25.9.0']) {
    it(`refuses ${version}`, () => {
      assert.throws(
        () => loadRuntimeContext({ cwd: root, env: {}, nodeVersion: version }),
        /Node "[\d.]+" cannot be used: allowed are \^22\.18\.0 \|\| \^24\.11\.0 \|\| >=26\.0\.0/,
      )
    })
  }
})
