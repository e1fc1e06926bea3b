// What every question has by being in the list: its page in three forms, its command, and its part of the tool `find`.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { find } from '../../../src/analysis/agents/built-in-tools.ts'
import { questions } from '../../../src/analysis/questions/all.ts'
import { agentDesk } from '../../support/agent-tools.ts'
import { cliFolder } from '../../support/cli-run.ts'
import { makeProfile } from '../../support/profiles.ts'
import { forAll } from '../../support/for-all.ts'
import { pageText, startApp } from '../../support/running-app.ts'

const running = await forAll(startApp())
for (const target of ['/products', '/error', '/nowhere']) await running.send({ target })

for (const { name, label, command, parameters, listed = {}, isFiltered = false, isThere } of questions) {
  const argument = Object.entries(parameters).flatMap(([key, { isArgument }]) => (isArgument === true ? [key] : []))
  // A version may be any text.
  const limited = Object.entries(parameters).filter(([key, { read }]) => read(`no such ${key}`) === undefined)
  const wrong = limited.map(([key, { label: called, what = 'valid', use }]) => ({
    key,
    sentence: `${called}: "no such ${key}" is not ${what}. Use ${use}.`,
  }))

  describe(`the question ${name}`, () => {
    it('is a page with a link, JSON and Markdown', async () => {
      const page = await running.send({ target: `/_profiler/${name}` })
      assert.equal(page.status, 200)
      if (isThere === undefined) assert.ok(page.body.includes(`>${label}</a>`))
      assert.doesNotMatch(pageText(page.body), /undefined|\[object|NaN/)
      assert.equal(page.body.includes('id="list-filters"'), isFiltered)
      const found = JSON.parse((await running.send({ target: `/_profiler/${name}.json` })).body) as object
      assert.ok('problems' in found && 'ignored' in found)
      assert.match((await running.send({ target: `/_profiler/${name}.md` })).body, /^# \w[^\n]*\n\n\S/)
    })

    it('takes each value that it offers, and says on its page which one it has', async () => {
      for (const [key, { buttons = {} }] of Object.entries(parameters)) {
        for (const [value, said] of Object.entries(buttons)) {
          const query = value === '' ? '' : `?${key}=${value}`
          const { body } = await running.send({ target: `/_profiler/${name}${query}` })
          assert.match(body, new RegExp(`aria-current="page">${said}</a>`))
        }
      }
    })

    it('says in every form what cannot be used', async () => {
      for (const { key, sentence } of wrong) {
        for (const form of ['', '.json', '.md']) {
          const { status, body } = await running.send({
            target: `/_profiler/${name}${form}?${key}=no such ${key}`.replaceAll(' ', '+'),
          })
          assert.equal(status, 400)
          const text = body.replaceAll('\\"', '"').replaceAll('&quot;', '"')
          assert.ok(text.includes(sentence), `${form}: ${sentence}`)
        }
      }
      const odd = await running.send({ target: `/_profiler/${name}.json?zebra=1` })
      assert.match(odd.body, /Unknown parameter \\"zebra\\" was ignored/)
    })

    if (command !== undefined) {
      it(`is the command ${command} with the same options`, async () => {
        await using folder = await cliFolder()
        await (await folder.engine()).profiles.write([makeProfile({ traceId: 'a'.repeat(32) })])
        const words = [...command.split(' '), ...argument.map(() => 'latest')]
        const asJson = await folder.run([...words, '--json'])
        assert.deepEqual([asJson.exitCode, typeof JSON.parse(asJson.stdout)], [0, 'object'])
        assert.equal((await folder.run(words)).exitCode, 0)
        for (const { key } of wrong.filter((one) => !argument.includes(one.key))) {
          const { exitCode, stderr } = await folder.run([...words, `--${key}`, `no such ${key}`])
          const { use } = parameters[key] ?? assert.fail()
          assert.deepEqual([exitCode, stderr], [2, `fanlight: --${key}: "no such ${key}" is not valid. Use ${use}.\n`])
        }
      })
    }

    for (const what of Object.keys(listed)) {
      it(`is listed by the tool find as ${what}`, async () => {
        const { ask } = await agentDesk([makeProfile({})])
        assert.match(await ask('find', { what }), /^# \w/)
        const fixed = listed[what]?.fixed ?? {}
        for (const { key } of wrong) {
          const allowed = fixed[key] === undefined ? /cannot be used\. Use / : /says nothing about/
          const said = find.parameters[key] === undefined ? /There is no parameter/ : allowed
          await assert.rejects(ask('find', { what, [key]: `no such ${key}` }), { message: said })
        }
      })
    }
  })
}
