// The application's own error page, through the whole application.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { html } from '../../src/index.ts'
import { startApp } from '../support/running-app.ts'

describe('createApp: errorPage', () => {
  it('draws errors outside debug in the look of the application', async () => {
    const errorPage = ({ statusCode, reference }: { statusCode: number; reference: string }): object =>
      html`<h1>Ours ${statusCode}</h1>
        <p>${reference}</p>`
    await using running = await startApp({ env: { APP_ENV: 'prod' }, errorPage })
    const { status, body } = await running.send({ target: '/nope' })
    assert.equal(status, 404)
    assert.match(body, /<h1>Ours 404<\/h1>\s*<p>[0-9a-z]{12}<\/p>/)
    const json = await running.send({ target: '/nope', headers: ['Accept: application/json'] })
    assert.equal(json.header('content-type'), 'application/problem+json')
  })

  it('answers with the built-in page when it throws', async () => {
    const errorPage = (): never => {
      throw new Error('s3cret')
    }
    await using running = await startApp({ env: { APP_ENV: 'prod' }, errorPage })
    const { status, body } = await running.send({ target: '/secret' })
    const line = running.log.lines.find(({ context }) => context['reference'] !== undefined)
    assert.equal(status, 500)
    assert.ok(body.includes('<title>Error 500 Internal Server Error</title>'))
    assert.ok(body.includes(String(line?.context['reference'])) && !body.includes('s3cret'))
  })

  it('is not asked in debug', async () => {
    await using running = await startApp({ errorPage: () => assert.fail('asked') })
    assert.match((await running.send({ target: '/nope' })).body, /Forwarded to/)
  })
})

describe('createApp: hints', () => {
  const hints = [
    {
      name: 'trouble',
      matches: (error: { message: string }) => error.message === 'outer trouble',
      explain: () => ({ title: 'Trouble is made on purpose', text: 'Leave it alone.' }),
    },
  ]

  it('asks hints of the application before its own', async () => {
    await using running = await startApp({ hints })
    const { body } = await running.send({ target: '/error' })
    const [first] = body.match(/<p class="hint-title">[\s\S]*?<\/p>/) ?? []
    assert.match(first ?? '', /Trouble is made on purpose/)
  })
})

it('APP_EDITOR and APP_PATH_MAP: link own code, on the page and in the profile, named as the reader knows the directory', async () => {
  const env = { APP_EDITOR: 'vscode', APP_PATH_MAP: `${process.cwd()}=/home/ann/shop` }
  await using running = await startApp({ env })
  const { body, header } = await running.send({ target: '/error' })
  const link = /href="vscode:\/\/file\/home\/ann\/shop\/test\/support\/running-app\.ts:\d+:\d+"/
  assert.match(body, link)
  const profile = await running.send({ target: `${header('x-debug-token-link')}?panel=exception` })
  assert.match(profile.body, link)
})
