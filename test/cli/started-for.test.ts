// What of an application the commands start, and which routes they know without.

import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { cliFolder, type CliRun } from '../support/cli-run.ts'
import { forAll } from '../support/for-all.ts'

const library = pathToFileURL(join(import.meta.dirname, '../../src/index.ts')).href

/** Each way in which a module may offer its application. `options` is what all of them are made of. */
const modules = {
  'exported.mjs': 'export const frontController = (context) => createApp({ context, ...options })',
  'without-context.mjs': 'export default () => createApp(options)',
  'running.mjs': 'await run((context) => createApp({ context, ...options }))',
  'listening.mjs': 'const app = await createApp(options)\nawait app.listen()',
  'made-at-import.mjs': 'const app = await createApp(options)\nexport default () => app',
}

const application = `import { appendFileSync } from 'node:fs'
import { createApp, run, RouteCollection, text } from '${library}'
const note = (line) => appendFileSync('started.txt', line + '\\n')
const show = () => text('shown')
const plugin = (name, parts) => ({ name, start: ({ startedFor }) => note(name + ' for ' + startedFor), ...parts })
const mail = plugin('mail', {
  routes: new RouteCollection().get('mail_queue', '/mail/queue', show).get('mail_again', '/', show),
  commands: { send: () => note('send') },
  stop: () => note('mail stops'),
})
const database = plugin('database', {})
const pool = { name: 'pool', stop: () => note('pool stops') }
const options = {
  routes: ({ startedFor, openStore }) => (void openStore(), new RouteCollection().get('home', '/', show).get(startedFor, '/for', show)),
  plugins: [pool, mail, database],
  commands: {
    tidy: () => note('tidy'),
    report: { plugins: ['database', 'mail'], run: () => note('report') },
  },
}
`

const folder = await forAll(cliFolder())
for (const [name, code] of Object.entries(modules)) writeFileSync(join(folder.path, name), application + code)

/** What a command printed, and what the application did meanwhile. */
async function doneBy(args: readonly string[]): Promise<CliRun & { readonly done: readonly string[] }> {
  const notes = join(folder.path, 'started.txt')
  rmSync(notes, { force: true })
  const run = await folder.spawn(args, { PORT: '0' })
  const done = readFileSync(notes, 'utf8').trim().split('\n')
  // Nothing to start is always stopped.
  assert.equal(done.pop(), 'pool stops', run.stderr)
  return { ...run, done }
}

describe('commands that look at routes', () => {
  for (const module of Object.keys(modules)) {
    it(`start nothing of ${module} and know the routes of its plugins`, async () => {
      const looks: readonly (readonly [words: readonly string[], exitCode: number, stdout: RegExp])[] = [
        [['routes'], 0, /^home .*\ncommand .*\nmail_queue .*\nmail_again /m],
        [['routes', '--check'], 1, /duplicate.*"mail_again"/],
        [['match', 'GET', '/mail/queue'], 0, /matches mail_queue/],
        [['match', 'GET', '/mail/queu'], 3, /GET \/mail\/queue/],
      ]
      // What is loaded is loaded alike for each command.
      for (const [words, exitCode, stdout] of module === 'exported.mjs' ? looks : looks.slice(0, 1)) {
        const run = await doneBy([...words, '--module', module])
        assert.deepEqual([run.exitCode, run.done], [exitCode, []], run.stderr)
        assert.match(run.stdout, stdout)
      }
      assert.ok(!existsSync(join(folder.path, 'fanlight.db')), 'no store is opened')
    })
  }
})

describe('fanlight run', () => {
  for (const [command, done] of [
    ['tidy', ['tidy']],
    ['send', ['mail for command', 'send', 'mail stops']],
    ['report', ['mail for command', 'database for command', 'report', 'mail stops']],
  ] as const) {
    it(`starts what "${command}" needs, before it, and records it`, async () => {
      const run = await doneBy(['run', command, '--module', 'exported.mjs'])
      assert.deepEqual([run.exitCode, run.done], [0, done], run.stderr)
      assert.match(run.stderr, /profile [0-9a-z]{12}: fanlight profiles show/)
    })
  }
})
