import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cliFolder, type CliRun } from '../support/cli-run.ts'
import { writeSoundRoutes } from '../support/routes-project.ts'
import { pick } from '../support/pick.ts'
import { forAll } from '../support/for-all.ts'

const folder = await forAll(cliFolder())
await writeSoundRoutes(folder)

const match = async (...args: readonly string[]): Promise<CliRun> =>
  folder.spawn(['match', ...args, '--module', 'sound.ts'])

describe('fanlight match', () => {
  it('names the route that takes the request, its parameters, and those that were asked before it', async () => {
    const [{ exitCode, stdout, stderr }, json] = await Promise.all([
      match('get', '/products/t%C3%A9a?page=2#top'),
      match('GET', 'https://north.example.org/orders/7', '--json'),
    ])
    assert.deepEqual([exitCode, stderr], [0, ''])
    assert.match(stdout, /^GET http:\/\/127\.0\.0\.1:8000\/products\/t%C3%A9a\?page=2 matches product\.\n/)
    assert.match(stdout, /^defined at {2}sound\.ts:7$/m)
    assert.match(stdout, /^slug +téa$/m)
    assert.match(stdout, /^product match .*\n- 1 route with a different path, in this order: home, \/, sound\.ts:6\n$/m)
    const trial = JSON.parse(json.stdout) as Trial
    assert.equal(json.exitCode, 0)
    assert.deepEqual([trial.outcome, trial.route?.name, trial.params], ['match', 'order', { shop: 'north', id: '7' }])
    assert.deepEqual(pick(trial.trace, 'route', 'outcome'), [
      ['home', 'no'],
      ['product', 'no'],
      ['order', 'match'],
    ])
    assert.deepEqual(trial.suggestions, [])
  })

  it('says where a request is sent', async () => {
    const { exitCode, stdout } = await match('GET', 'http://north.example.org/orders/7')
    assert.equal(exitCode, 0)
    assert.match(stdout, /is redirected to https:\/\/north\.example\.org\/orders\/7 with 301, which matches order\./)
  })

  it('ends with 3 where no route takes it, with what would work and why the near ones did not', async () => {
    const [typo, requirement, json] = await Promise.all([
      match('GET', '/productz/tea'),
      match('GET', 'https://north.example.org/orders/seven'),
      match('DELETE', '/basket', '--json'),
    ])
    assert.equal(typo.exitCode, 3)
    assert.equal(typo.stderr, 'fanlight: no route matches GET http://127.0.0.1:8000/productz/tea\n')
    assert.match(typo.stdout, /^product {2}GET \/products\/tea {2}"productz" looks like "products"\. +sound\.ts:7$/m)
    assert.match(requirement.stdout, /Parameter "id" is "seven", but must match \\d\+\./)
    assert.match(requirement.stdout, /^order almost .* +Requirement for "id" does not match \(\\d\+\)/m)
    assert.equal(json.exitCode, 3)
    const trial = JSON.parse(json.stdout) as Trial
    assert.deepEqual([trial.outcome, trial.route, trial.allow], ['method_not_allowed', null, ['POST']])
    assert.equal(trial.suggestions[0]?.routeName, 'basket')
    assert.equal(trial.trace[0]?.route, 'basket')
    assert.equal(trial.trace.length, 5)
  })

  it('ends with 2 for what is not a request, and says what is allowed', async () => {
    const cases = [
      [['GTE', '/'], /"GTE" is not an HTTP method\. Use a name such as GET or POST\. Did you mean GET\?/],
      [['GET', 'not a url'], /"not a url" is not a URL\. Use http:\/\/host\/path/],
      [['GET', 'ftp://example.org/'], /is not a URL\. Use/],
      [['GET', 'http://user:secret@example.org/'], /is not a URL\. Use/],
      [['GET', `/${'a'.repeat(9000)}`], /longer than 8192/],
    ] as const
    const runs = await Promise.all(cases.map(([args]) => match(...args)))
    for (const [index, [, message]] of cases.entries()) {
      assert.deepEqual([runs[index]?.exitCode, runs[index]?.stdout], [2, ''])
      assert.match(runs[index]?.stderr ?? '', message)
    }
  })
})

interface Trial {
  readonly outcome: string
  readonly route: { readonly name: string } | null
  readonly params: Readonly<Record<string, string>>
  readonly allow: readonly string[]
  readonly trace: readonly { readonly route: string; readonly outcome: string }[]
  readonly suggestions: readonly { readonly routeName: string }[]
}
