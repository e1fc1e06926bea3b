import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ErrorCounts } from '../../src/errors/error-family.ts'
import { makeChain, makeError } from '../support/error-view.ts'
import { pageText, startApp } from '../support/running-app.ts'

const thrown = (message: string): ReturnType<typeof makeChain> => makeChain(makeError({ message }))

describe('ErrorCounts', () => {
  it('counts by family, from the first one on', () => {
    const counts = new ErrorCounts()
    assert.equal(counts.note(thrown('Order 1 is late'), 100)?.count, 1)
    assert.equal(counts.note(thrown('No price'), 150)?.count, 1)
    const { family, ...rest } = counts.note(thrown('Order 22 is late'), 200) ?? assert.fail()
    assert.deepEqual(rest, { count: 2, firstAt: 100 })
    assert.match(family, /^TypeError: Order … is late$/)
    assert.equal(counts.note(makeChain(), 300), null)
  })
  it('forgets what was not seen for longest when there are too many families', () => {
    const counts = new ErrorCounts()
    const letters = (index: number): string =>
      String.fromCharCode(97 + (index % 26), 97 + ((index / 26) % 26), 97 + index / 676)
    for (let index = 0; index < 1000; index += 1) counts.note(thrown(letters(index)), index)
    assert.equal(counts.note(thrown(letters(0)), 2000)?.count, 2)
    counts.note(thrown('one more'), 2001)
    assert.equal(counts.note(thrown(letters(0)), 2002)?.count, 3)
    assert.equal(counts.note(thrown(letters(1)), 2003)?.count, 1)
  })
})

it('the error page of an error that came before: says how often and since when, with a link to all of them', async () => {
  await using running = await startApp()
  const ask = async (): Promise<string> => (await running.send({ target: '/error' })).body
  assert.ok(pageText(await ask()).includes('First time since start.'))
  assert.ok(pageText((await running.send({ target: '/secret' })).body).includes('First time since'))
  for (const target of ['/nope', '/uplod/7'])
    assert.doesNotMatch(pageText((await running.send({ target })).body), /since start|in the last/, 'other paths')
  const body = await ask()
  assert.match(pageText(body), /2 times in the last [\d.]+ (?:ms|s|µs) · all of them/)
  const link = /<a href="([^"]*\?family=[^"]*)">/.exec(body)?.[1] ?? ''
  const { items } = await running.profiles.find(
    { errorFamily: new URL(link, running.url).searchParams.get('family') ?? '' },
    {},
  )
  assert.deepEqual(
    items.filter(({ parentToken }) => parentToken === null).map(({ url }) => new URL(url).pathname),
    ['/error', '/error'],
  )
})
