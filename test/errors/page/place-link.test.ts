import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createEditorLink, placeLink } from '../../../src/http/config/editor-link.ts'
import type { DatabaseData } from '../../../src/observe/outgoing/database-data.ts'
import { databasePanel } from '../../../src/pages/panels/database.ts'
import { askedRoutes } from '../../../src/observe/collectors/request.ts'
import { drawBlocks } from '../../../src/pages/draw-blocks.ts'
import { suggestionList } from '../../../src/errors/page/routing-help.ts'

const editor = createEditorLink({ editor: 'vscode', projectRoot: '/srv/shop' })

describe('placeLink', () => {
  it('leads to the place in the reader’s editor', () => {
    assert.match(
      String(placeLink('src/a b/prices.ts:12', editor)),
      /^<a href="vscode:\/\/file\/srv\/shop\/src\/a%20b\/prices\.ts:12:1"><code>src\/a b\/prices\.ts:12<\/code><\/a>$/,
    )
  })

  it('says of an assumed place that it is', () => {
    const copied = '<code data-place>src/prices.ts:12</code> (assumed)'
    assert.equal(String(placeLink('src/prices.ts:12 (assumed)', undefined)), copied)
    assert.match(
      String(placeLink('src/prices.ts:12 (assumed)', editor)),
      /^<a href="vscode:\/\/file\/srv\/shop\/src\/prices\.ts:12:1"><code>src\/prices\.ts:12<\/code><\/a> \(assumed\)$/,
    )
  })

  it('is text without an editor, to be copied as file and line', () => {
    const place = (text: string): string => `<code data-place>${text}</code>`
    assert.equal(String(placeLink('src/prices.ts:12', undefined)), place('src/prices.ts:12'))
    assert.equal(String(placeLink('src/prices.ts:12:5', undefined)), place('src/prices.ts:12:5'))
    assert.doesNotMatch(String(placeLink('/etc/passwd:1', undefined)), /data-place/)
  })

  it('leads nowhere but to an editor', () => {
    assert.doesNotMatch(String(placeLink('src/prices.ts:12', () => ' JavaScript:alert(1)')), /<a /)
  })

  it('leads to the column where one is known', () => {
    assert.match(
      String(placeLink('src/prices.ts:12:5', editor)),
      /href="vscode:\/\/file\/srv\/shop\/src\/prices\.ts:12:5"/,
    )
  })

  it('is text for what lies outside the project, and for what is no place', () => {
    const places = [
      '../secrets.ts:1',
      'src/../../secrets.ts:1',
      '/etc/passwd:1',
      'C:\\secrets.ts:1',
      'node:internal/x:1',
      'file:///etc/passwd:1',
      'node_modules/pg/index.js:3',
      'src/prices.ts',
      'src/prices.ts:x',
      '"><script>:1',
      '',
    ]
    for (const place of places.filter((one) => one !== '"><script>:1')) {
      assert.doesNotMatch(String(placeLink(place, editor)), /<a /, place)
    }
    assert.doesNotMatch(String(placeLink('"><script>:1', editor)), /<script>/)
  })

  it('is at the routes that are near', () => {
    const near = { url: '/made', kind: 'typo', reason: 'one letter differs', definedAt: 'src/routes.ts:7' } as const
    const suggestion = { method: 'GET', routeName: 'made', pattern: '/made', ...near }
    assert.match(String(suggestionList([suggestion], editor)), /href="vscode:\/\/file\/srv\/shop\/src\/routes\.ts:7:1"/)
    assert.doesNotMatch(String(suggestionList([suggestion])), /vscode/)
  })

  it('is at every route that did not match', () => {
    const entry = { outcome: 'no', reason: 'Path does not match', definedAt: 'src/routes.ts:7' } as const
    const trace = [
      { route: 'home', pattern: '/', ...entry },
      { route: 'made', pattern: '/made', ...entry, definedAt: null },
    ]
    const markup = String(
      drawBlocks(askedRoutes(trace, 'closest first', Infinity), 'route', { linkTo: String, editor }),
    )
    assert.equal(markup.match(/href="vscode:\/\/file\/srv\/shop\/src\/routes\.ts:7:1"/g)?.length, 1)
  })

  it('is at each statement and at what is said of them', () => {
    const statement = {
      startMs: 1,
      durationMs: 1,
      rows: 1,
      error: null,
      group: 0,
      key: 'k',
      callSite: 'src/prices.ts:12',
    }
    const data: DatabaseData = {
      queries: [statement, { ...statement, callSite: 'src/stock.ts:7' }],
      groups: [{ system: 'sqlite', library: 'node:sqlite', namespace: null, text: 'SELECT 1', count: 2, totalMs: 2 }],
      findings: [{ kind: 'duplicate', group: 0, count: 2, totalMs: 2, callSite: 'src/prices.ts:12' }],
      dropped: 0,
      durationMs: 5,
    }
    const markup = String(databasePanel.render(data, { editor, profile: { token: 'aaaaaaaaaaaa' } } as never))
    // Once for all queries of a place, at its query, and at the finding.
    assert.equal(markup.match(/href="vscode:\/\/file\/srv\/shop\/src\/prices\.ts:12:1"/g)?.length, 3)
    assert.equal(markup.match(/href="vscode:\/\/file\/srv\/shop\/src\/stock\.ts:7:1"/g)?.length, 2)
  })
})
