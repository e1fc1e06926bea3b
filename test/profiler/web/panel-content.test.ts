// What a custom panel may do to the page it is on: nothing.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { html } from '../../../src/base/html/html.ts'
import type { Collector } from '../../../src/observe/collector.ts'
import type { Panel } from '../../../src/pages/panel.ts'
import { pageText, startApp } from '../../support/running-app.ts'

const collectors: readonly Collector[] = [
  { name: 'fine', collect: () => ({ words: 'all is well' }) },
  { name: 'badge', collect: () => 1 },
  { name: 'drawing', collect: () => 1 },
  { name: 'huge', collect: () => 1 },
  { name: 'text', collect: () => 1 },
  {
    name: 'failing',
    collect: () => {
      throw new Error('the <b>store</b> is gone')
    },
  },
  {
    name: 'quiet-failing',
    collect: () => {
      throw new Error('nobody draws this one')
    },
  },
]
const panels: readonly Panel[] = [
  { name: 'fine', title: 'Fine', render: (data) => html`<p>${(data as { words: string }).words}</p>` },
  {
    name: 'badge',
    title: 'Badge',
    badge: () => {
      throw new Error('no badge')
    },
    render: () => html`<p>drawn</p>`,
  },
  {
    name: 'drawing',
    title: 'Drawing',
    render: () => {
      throw new TypeError('cannot <i>draw</i>')
    },
  },
  { name: 'huge', title: 'Huge', render: () => html`<p>${'x'.repeat(2_000_000)}</p>` },
  // As plain JavaScript could do it: text where markup is expected.
  { name: 'text', title: 'Text', render: (() => '<i>zq') as unknown as Panel['render'] },
  { name: 'failing', title: 'Failing', render: () => html`<p>nothing happened</p>` },
]

describe('panelContent', () => {
  it('keeps the page whole, whatever a custom panel does, and says what went wrong', async () => {
    await using running = await startApp({ collectors, panels })
    const answer = await running.send({ target: '/api' })
    assert.equal(answer.body, '{"ok":true}')
    const show = async (panel: string): Promise<string> => {
      const { status, body } = await running.send({
        target: `/_profiler/${answer.header('x-debug-token')}?panel=${panel}`,
      })
      assert.equal(status, 200)
      assert.ok(body.length < 1024 * 1024)
      assert.ok(body.includes('panel=config'), 'the menu is there')
      return body
    }
    assert.match(pageText(await show('fine')), /all is well/)
    assert.match(pageText(await show('badge')), /drawn/)
    assert.match(pageText(await show('drawing')), /could not be rendered: TypeError: cannot <i>draw<\/i>/)
    assert.match(pageText(await show('huge')), /could not be rendered: it has \d+ bytes/)
    assert.doesNotMatch(await show('text'), /<i>zq/)
    const failing = pageText(await show('failing'))
    assert.match(failing, /Collector failing failed: Error: the <b>store<\/b> is gone/)
    assert.doesNotMatch(failing, /nothing happened/)
    assert.doesNotMatch(pageText(await show('fine')), /store.* is gone/)
    for (const panel of ['fine', 'request']) assert.match(pageText(await show(panel)), /Collector quiet-failing failed/)
  })

  it('marks a panel that is not complete in the menu', async () => {
    await using running = await startApp({ collectors, panels })
    const token = (await running.send({ target: '/api' })).header('x-debug-token')
    const { body } = await running.send({ target: `/_profiler/${token}` })
    assert.equal(body.split('not complete').length - 1, 2)
  })
})
