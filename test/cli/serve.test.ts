import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { cliFolder, type CliFolder } from '../support/cli-run.ts'
import { until } from '../support/until.ts'

const entry = (name: string): string => pathToFileURL(join(import.meta.dirname, `../../src/${name}.ts`)).href
const main = join(import.meta.dirname, '../../src/cli/main.ts')

/** Writes an application whose one route answers with `at work`, which a module reads from the environment as it loads. */
async function writeApplication(folder: CliFolder): Promise<void> {
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder.path, '.env'), 'GREETING="at work"\n')
  await writeFile(join(folder.path, 'greeting.ts'), `export const greeting = process.env['GREETING']`)
  await writeFile(
    join(folder.path, 'shop.ts'),
    `import { createApp, maintenance, RouteCollection, text } from '${entry('index')}'
    import { greeting } from './greeting.ts'
    const routes = new RouteCollection()
    routes.get('home', '/', () => text(greeting))
    export const frontController = (context) => createApp({ context, routes, plugins: [maintenance()] })
    `,
  )
}

describe('fanlight serve', () => {
  it('serves the application, obeys the lock of another process, and ends in order', async () => {
    await using folder = await cliFolder()
    await writeApplication(folder)
    const env = { ...folder.env, PORT: '0' }
    const server = spawn(process.execPath, [main, 'serve', 'shop.ts'], { cwd: folder.path, env, stdio: 'pipe' })
    let output = ''
    server.stdout.on('data', (chunk: Buffer) => (output += String(chunk)))
    server.stderr.on('data', (chunk: Buffer) => (output += String(chunk)))
    const ended = once(server, 'exit')
    try {
      await until(() => /http:\/\/127\.0\.0\.1:\d+/.test(output))
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] ?? ''
      const status = async (): Promise<number> => (await fetch(url)).status
      assert.equal(await (await fetch(url)).text(), 'at work')
      assert.equal((await folder.run(['lock', 'on', '--retry-after', '33'])).exitCode, 0)
      await until(async () => (await status()) === 503)
      const closed = await fetch(url)
      assert.equal(closed.headers.get('retry-after'), '33')
      assert.equal(closed.headers.get('cache-control'), 'no-store')
      assert.equal((await folder.run(['lock', 'off'])).exitCode, 0)
      await until(async () => (await status()) === 200)
      // The server stores profiles when it has time for it.
      await until(async () => /\/$/m.test((await folder.run(['profiles', 'list', '--route', 'home'])).stdout))
    } finally {
      server.kill('SIGTERM')
    }
    assert.deepEqual(await ended, [0, null], output)
  })

  it('serves the application that a module runs when it is imported, once', async () => {
    await using folder = await cliFolder()
    await writeFile(
      join(folder.path, 'main.mjs'),
      `import { createApp, RouteCollection, run, text } from '${entry('index')}'
const plugin = { name: 'jobs', start: ({ startedFor }) => console.log('jobs for ' + startedFor) }
const options = { routes: new RouteCollection().get('home', '/', () => text('at work')), plugins: [plugin] }
await run((context) => createApp({ context, ...options }))
`,
    )
    const env = { ...folder.env, PORT: '0' }
    const server = spawn(process.execPath, [main, 'serve', 'main.mjs'], { cwd: folder.path, env, stdio: 'pipe' })
    let output = ''
    server.stdout.on('data', (chunk: Buffer) => (output += String(chunk)))
    const ended = once(server, 'exit')
    try {
      await until(() => output.includes('Ctrl-C'))
      const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? []
      assert.equal(await (await fetch(url)).text(), 'at work')
    } finally {
      server.kill('SIGTERM')
    }
    assert.deepEqual(await ended, [0, null], output)
    assert.deepEqual(output.match(/jobs for \w+/g), ['jobs for serve'])
  })

  it('reports in full what a module throws as it loads', async () => {
    await using folder = await cliFolder()
    await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }')
    await writeFile(join(folder.path, 'rates.ts'), `throw new RangeError('There are no rates')`)
    await writeFile(join(folder.path, 'shop.ts'), `import './rates.ts'\nexport const frontController = () => undefined`)
    const { exitCode, stderr } = await folder.run(['serve', 'shop.ts'])
    assert.equal(exitCode, 1)
    assert.match(
      stderr,
      /^fanlight: shop\.ts cannot be started\n\[1\/1\] RangeError: There are no rates\n +at .*rates\.ts:1:\d+\)?\n/,
    )
  })
})
