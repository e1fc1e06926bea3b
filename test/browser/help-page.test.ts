// The help page says nothing that is not so: each link leads somewhere, each command and option exists, each key does something.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { text, RouteCollection } from '../../src/index.ts'
import {
  assertAccessible,
  assertFitsEveryWidth,
  assertNoSidewaysScrolling,
  everyLook,
  openPage,
} from '../support/browser.ts'
import { holdLoop } from '../support/busy-app.ts'
import { cliFolder } from '../support/cli-run.ts'
import { forAll } from '../support/for-all.ts'
import { startApp } from '../support/running-app.ts'
import { until } from '../support/until.ts'
import { findingNames } from '../../src/observe/profile.ts'

interface HelpJson {
  readonly sections: readonly {
    readonly title: string
    readonly entries: readonly {
      readonly name: string
      readonly text: string
      readonly filters?: Readonly<Record<string, string>>
    }[]
  }[]
}

const routes = new RouteCollection()
routes.get('busy', '/busy', ({ log }) => {
  holdLoop(60)
  log.warn('Low stock.')
  return text('done')
})
const app = await forAll(startApp({ routes }))
await app.send({ target: '/busy' })
const token = (await app.send({ target: '/busy', headers: ['X-Fanlight-Profile: cpu'] })).header('x-debug-token') ?? ''
const help = JSON.parse((await app.send({ target: '/_profiler/help.json' })).body) as HelpJson
const entries = help.sections.flatMap((section) => section.entries)

interface Shortcut {
  /** Below the profiler's path. */
  readonly at: () => string
  /** Takes the focus first. Default: the page has it. */
  readonly on?: (page: Page) => Promise<void>
  /** Each must change something on the page. */
  readonly keys: readonly string[]
}

const timeline = {
  at: () => `${token}?panel=time`,
  on: async (page: Page) => page.locator('[data-timeline]').focus(),
}
const flame = { at: () => `${token}?panel=cpu`, on: async (page: Page) => page.locator('.flame-call').last().focus() }

/** By what the page says of them. */
const shortcuts: Readonly<Record<string, Shortcut>> = {
  'Every page: go to a page, route, exception or profile.': { at: () => 'help', keys: ['Control+k', 'Escape'] },
  'Every page: search, and this page.': { at: () => 'status', keys: ['?', '/'] },
  'List: move down and up. Enter opens the row.': { at: () => '', keys: ['j', 'j', 'k', 'Enter'] },
  'List: select the row, and compare two of them.': { at: () => '', keys: ['j', 'x', 'j', 'Space', 'c'] },
  'Lists: pause live updates, and go on.': { at: () => '', keys: ['p'] },
  'Profile: the previous and the next one of its list.': { at: () => token, keys: [']', '['] },
  'Timeline: zoom in and out, show the whole request, move.': {
    ...timeline,
    keys: ['+', '-', '+', '0', '+', 'ArrowRight', 'ArrowLeft'],
  },
  'Flame graph: zoom to the selected function, and show everything.': { ...flame, keys: ['Enter', 'Escape'] },
}

/** What a reader sees of a page, and what is in its fields. */
const state = `document.querySelector('main').innerHTML + [...document.querySelectorAll('input')].map((field) => field.value + field.checked) + location.href + document.activeElement.closest('[id]')?.id`

describe('the help page', () => {
  it('has each finding and 18 more', () => assert.equal(entries.length, findingNames.length + 18))

  it('leads to pages that are there', async () => {
    const lists = entries.flatMap(({ filters }) => (filters === undefined ? [] : [filters]))
    assert.ok(lists.length > 5)
    for (const path of ['latest.md', ...lists.map((filters) => `?${new URLSearchParams(filters).toString()}`)]) {
      const response = await fetch(`${app.url}/_profiler/${path}`)
      assert.equal(response.status, 200, path)
      assert.doesNotMatch(await response.text(), /Unknown parameter/, path)
    }
    assert.ok(entries.some(({ name }) => name === 'latest.md'))
  })

  it('is linked from every page', async () => {
    for (const path of ['', 'status', 'help', 'runs', 'aaaaaaaaaaaa', token])
      assert.match(
        (await app.send({ target: `/_profiler/${path}` })).body,
        /<a aria-current="\w+" href="\/_profiler\/help"/,
      )
  })

  it('names commands and options that there are', async () => {
    await using folder = await cliFolder()
    const commands = entries.filter(({ name }) => name.startsWith('fanlight '))
    assert.ok(commands.length > 2)
    for (const { name, text: meaning } of commands) {
      const words = name.split(' ').slice(1)
      const end = words.findIndex((word) => !/^[a-z][a-z-]+$/.test(word) || word === 'latest')
      const { exitCode, stdout } = await folder.run([...words.slice(0, end < 0 ? words.length : end), '--help'])
      assert.equal(exitCode, 0, name)
      for (const [option] of `${name} ${meaning}`.matchAll(/--[a-z-]+/g))
        assert.ok(stdout.includes(option), `${name}: ${option}`)
    }
  })

  it('says that an option decides what is slow', () => {
    assert.match(entries.find(({ name }) => name === 'slow')?.text ?? '', /recording\.slowMs/)
  })

  it('names a header that records a CPU profile', () => {
    assert.ok(entries.some(({ name }) => name.includes('X-Fanlight-Profile: cpu')))
    assert.match(token, /^[0-9a-z]{10,16}$/)
  })

  it('names keys that do something', async (test) => {
    assert.deepEqual(
      help.sections.find(({ title }) => title === 'Keyboard')?.entries.map((entry) => entry.text),
      Object.keys(shortcuts),
    )
    const page = await openPage(test, { width: 1400, colorScheme: 'light' }, app.url)
    for (const [meaning, { at, on, keys }] of Object.entries(shortcuts)) {
      await page.goto(`${app.url}/_profiler/${at()}`)
      await on?.(page)
      for (const key of keys) {
        const seen = await page.evaluate(state)
        await page.keyboard.press(key)
        // While a key leads to another page, there is nothing to read.
        const now = async (): Promise<unknown> => page.evaluate(state).catch(() => seen)
        await until(async () => (await now()) !== seen).catch(() => {
          assert.fail(`${meaning} ${key} changes nothing`)
        })
      }
    }
  })

  for (const look of everyLook) {
    it(`reads well, ${look.colorScheme}, ${look.width} px`, async (test) => {
      const page = await openPage(test, look, app.url)
      await page.goto(`${app.url}/_profiler/help`)
      await assertNoSidewaysScrolling(page)
      await assertAccessible(page)
      await assertFitsEveryWidth(page)
    })
  }
})
