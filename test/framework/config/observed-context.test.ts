// The runtime context inside other frameworks: what is read, what is left alone, and that no value stops anything.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import {
  hasObservedSettings,
  loadObservedContext,
  loadRuntimeContext,
  type LoadedRuntimeContext,
} from '../../../src/http/config/runtime-context.ts'
import { namingSettings } from '../../../src/http/config/variable.ts'
import { variables } from '../../../src/http/config/variables.ts'
import { fc } from '../../support/fast-check.ts'
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts'

type Texts = Readonly<Record<string, string>>

function load(test: TestContext, env: Texts = {}, files: Texts = {}): LoadedRuntimeContext {
  const cwd = makeTemporaryDirectory(test)
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(cwd, name), text)
  return loadObservedContext({ cwd, env, debug: true })
}

describe('loadObservedContext', () => {
  it('is development, and a test where NODE_ENV says so', (test) => {
    const { context, warnings } = load(test)
    const { env, debug, store, allowedHosts, settingPrefix } = context
    assert.deepEqual([env, debug, store, settingPrefix], ['dev', true, 'sqlite:var/fanlight.db', 'FANLIGHT_'])
    assert.deepEqual([allowedHosts, warnings], [['localhost', '127.0.0.1', '[::1]'], []])
    assert.equal(load(test, { NODE_ENV: 'test' }).context.env, 'test')
  })

  it('reads FANLIGHT_* of the environment, .env.local and .env, in this order, and nothing else of the files', (test) => {
    const files = {
      '.env':
        'FANLIGHT_VERSION=1\nFANLIGHT_SERVICE=one\nFANLIGHT_MAIL=hold\nAPP_EDITOR=vscode\nPORT=1\nOTEL_SERVICE_NAME=x',
      '.env.local': 'FANLIGHT_VERSION=2\nFANLIGHT_SERVICE=two',
      '.env.dev': 'FANLIGHT_VERSION=4',
    }
    const { context, warnings } = load(test, { FANLIGHT_VERSION: '3', APP_MAIL: 'send', APP_DEBUG: 'true' }, files)
    const { version, service, mail, editor, port } = context
    assert.deepEqual([version, service, mail, editor, port], ['3', 'two', 'hold', null, 8000])
    assert.deepEqual(warnings, [])
  })

  it('takes HOST and PORT of the environment where they can be used, and says nothing where not', (test) => {
    const { context, warnings } = load(test, { HOST: '::1', PORT: 'pipe' })
    assert.deepEqual([context.host, context.port, warnings], ['::1', 8000, []])
  })

  it('never throws, and warns in one line for each value that cannot be used', (test) => {
    const cwd = makeTemporaryDirectory(test)
    const known = Object.keys(variables).map((name) => namingSettings(name, 'FANLIGHT_'))
    const name = fc.constantFrom(...known, 'FANLIGHT', 'FANLIGHT_ZQ', 'APP_STORE', 'APP_ENV', 'NODE_ENV')
    fc.assert(
      fc.property(
        fc.dictionary(name, fc.oneof(fc.string(), fc.constantFrom('on', 'hold', 'on-demand', 'true'))),
        (env) => {
          const { context, warnings } = loadObservedContext({ cwd, env, debug: true })
          assert.ok(Object.isFrozen(context) && context.debug && context.lock === 0)
          for (const warning of warnings) assert.doesNotMatch(warning, /[\n\r]|^APP_/)
          if (env['FANLIGHT_PROFILER_KEY'] !== undefined && context.profilerKey === null) assert.fail('the key is lost')
        },
      ),
    )
  })

  it('is what a folder with a setting for it asks for', (test) => {
    const cwd = makeTemporaryDirectory(test)
    assert.equal(hasObservedSettings(cwd, { APP_STORE: 'memory:', FANLIGHT: 'on', FANLIGHT_RESTARTS: '1' }), false)
    assert.equal(hasObservedSettings(cwd, { FANLIGHT_STORE: 'memory:' }), true)
    writeFileSync(path.join(cwd, '.env'), 'FANLIGHT_SERVICE=shop')
    assert.equal(hasObservedSettings(cwd, {}), true)
  })
})

it('loadRuntimeContext under fanlight dev: is dev if nobody names APP_ENV, and what APP_ENV says if somebody does', (test) => {
  const cwd = makeTemporaryDirectory(test)
  const envOf = (env: Texts): string => loadRuntimeContext({ cwd, env }).context.env
  assert.deepEqual(
    [{}, { FANLIGHT: 'on' }, { FANLIGHT: 'on', APP_ENV: 'prod' }, { FANLIGHT: 'on', APP_ENV: 'test' }].map(envOf),
    ['prod', 'dev', 'prod', 'test'],
  )
  assert.equal(envOf({ FANLIGHT: 'off' }), 'prod')
  assert.equal(envOf({ FANLIGHT_STORE: 'nonsense', FANLIGHT_X: '1' }), 'prod')
  writeFileSync(path.join(cwd, '.env'), 'APP_ENV=test')
  assert.equal(envOf({ FANLIGHT: 'on' }), 'test')
})
