// `fanlight dev app/main.ts`: a real project whose files change, and a page of it that is open meanwhile.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { openPage } from '../support/browser.ts'
import { compiledCode } from '../support/compiled-code.ts'
import { freePort } from '../support/free-port.ts'
import { appFolder } from '../support/registered-app.ts'
import { until } from '../support/until.ts'

const root = join(import.meta.dirname, '../..')
const entry = pathToFileURL(join(root, 'src/index.ts')).href

const files = {
  'package.json': '{ "type": "module" }',
  '.env': 'CURRENCY=EUR\n',
  'app/cart.ts': "export const total = (): string => 'one'\n",
  'app/main.ts': `import { Readable } from 'node:stream'
import { createApp, html, RouteCollection, run, stream } from '${entry}'
import { total } from './cart.ts'

const routes = new RouteCollection()
  .get('home', '/', () => html\`<!doctype html><title>Shop</title><h1>\${total()} \${process.env['CURRENCY']} \${process.argv[2]}</h1>\`)
  .post('form', '/', () => html\`<h1>\${total()}</h1>\`)
  .get('events', '/events', () => stream(endless()))
function endless() {
  const body = new Readable({ read: () => undefined })
  body.push('begun')
  return body
}
await run((context) => createApp({ context, routes, drainMs: 600_000 }))
`,
}

it('starts again after each change, says what is wrong, and pages reload', async (test) => {
  await using folder = appFolder(files)
  const change = (file: string, text: string): void => {
    // As most editors save.
    writeFileSync(join(folder.path, 'saved'), text)
    renameSync(join(folder.path, 'saved'), join(folder.path, file))
  }
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  // As users have it: Node 22 cannot require sources at the end of a process that failed to import them.
  const env = { PATH: process.env['PATH'], APP_STORE: 'memory:', PORT: String(port), ...compiledCode }
  const dev = spawn(process.execPath, [join(root, 'src/cli/main.ts'), 'dev', 'app/main.ts', '--', '--sale'], {
    cwd: folder.path,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(dev, 'close')
  let said = ''
  for (const output of [dev.stdout, dev.stderr]) output.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const heard = (text: string | RegExp): Promise<void> =>
    until(() => {
      const found = said.search(text)
      if (found >= 0) said = said.slice(found + 1)
      return found >= 0
    })
  try {
    await heard('Application:')
    const page = await openPage(test, { width: 768, colorScheme: 'dark' }, origin)
    const shows = (text: string): Promise<void> => page.locator('h1', { hasText: text }).waitFor()
    await page.goto(origin)
    await shows('one EUR --sale')
    // Of a page that was sent nothing is sent again.
    assert.doesNotMatch(
      await (await fetch(origin, { method: 'POST', headers: { accept: 'text/html' } })).text(),
      /reload/,
    )

    // A stream that never ends does not hold up a restart; it is cut by the application, which had its 200 ms.
    const events = await fetch(`${origin}/events`)
    change('app/cart.ts', "export const total = (): string => 'two'\n")
    // Loaded machines may also cut the connection of the page.
    await heard(/Closed \d+ connections that had not ended/)
    await assert.rejects(events.text())
    await heard('fanlight: app/cart.ts changed')
    await shows('two EUR --sale')

    change('app/cart.ts', "import { rate } from './rate.ts'\nexport const total = (): string = 'three'\n")
    await heard(/SyntaxError.*\n.*\n.*app\/cart\.ts:2:\d+/)
    await heard('fanlight: app/main.ts ended with exit code 1; it starts again when a file changes')
    // The page follows: the port responds with the error until the program is back.
    await shows('Parenthesized expression cannot be empty')
    await page.getByText('Reloads when the application starts again').waitFor()
    assert.doesNotMatch(await page.innerText('body'), /No route matched|anonymous|logged|Seen/i)
    await page.getByText('app/cart.ts:2:').waitFor()
    change('app/cart.ts', "import { rate } from './rates/rate.ts'\nexport const total = (): string => rate\n")
    await heard('Cannot find module')
    await heard('it starts again when a file changes')
    await shows('Cannot find module')
    folder.write('app/rates/rate.ts', "export const rate = 'none'\nthrow new RangeError('There are no rates')\n")
    await heard(/RangeError.*: There are no rates\n.*app\/rates\/rate\.ts:2:7/)
    await shows('There are no rates')
    change('app/rates/rate.ts', "import './rate.mjs'\nexport const rate = 'four'\n")
    await heard('it starts again when a file changes')
    folder.write('app/rates/rate.mjs', 'const = 1\n')
    await heard(/SyntaxError.*\n.*app\/rates\/rate\.mjs:1:7/)
    change('app/rates/rate.mjs', '')
    await shows('four EUR --sale')
    change('.env', 'CURRENCY=USD\n')
    await shows('four USD --sale')
  } finally {
    dev.kill('SIGTERM')
  }
  assert.deepEqual(await ended, [0, null])
})
