// Runs the example of a collector and a custom panel, the failing collector included.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pageText } from '../support/running-app.ts'
import { runFile } from '../support/running-process.ts'

const text = async (url: string): Promise<string> => pageText(await (await fetch(url)).text()).replace(/\s+/g, ' ')

describe('examples/custom-panel.ts', () => {
  it('takes less than 40 lines', () => {
    const lines = readFileSync(join(import.meta.dirname, '../../examples/custom-panel.ts'), 'utf8')
      .trimEnd()
      .split('\n')
    assert.ok(lines.length < 40, `${lines.length} lines`)
  })

  it('gathers, counts and draws; says so of a failing collector, and leaves the answer as it is', async () => {
    await using example = await runFile('examples/custom-panel.ts')
    const answer = await fetch(`${example.url}/`)
    assert.equal(await answer.text(), 'The new basket.\n')
    const link = answer.headers.get('x-debug-token-link') ?? ''
    assert.match(await text(`${example.url}${link}?panel=flags&type=request`), /Flags ?1.*new-basket on/)

    const broken = await fetch(`${example.url}/broken`)
    assert.equal(broken.status, 200)
    assert.equal(await broken.text(), 'The new basket.\n')
    const profile = `${example.url}${broken.headers.get('x-debug-token-link') ?? ''}?panel=flags&type=request`
    assert.match(await text(profile), /Collector flags failed: Error: the flags cannot be read/)
    assert.match(await text(profile), /This part was not recorded; the note above says why\./)

    const asJson = await fetch(profile, { headers: { accept: 'application/json' } })
    const { data } = (await asJson.json()) as { data: { notes: readonly object[] } }
    const message = 'failed: Error: the flags cannot be read'
    // On a busy machine it is slow, too.
    assert.deepEqual(data.notes[0], { source: 'collector flags', message })

    const missing = await fetch(`${example.url}/nowhere`)
    const none = `${example.url}${missing.headers.get('x-debug-token-link') ?? ''}?panel=flags&type=request`
    assert.match(await text(none), /No flag was asked for\./)
  })
})
