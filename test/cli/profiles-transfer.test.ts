import assert from 'node:assert/strict'
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Profile } from '../../src/observe/profile.ts'
import { profileFile } from '../../src/analysis/export/profile-file.ts'
import { renderProfileMarkdown } from '../../src/analysis/export/export-forms.ts'
import { cliFolder } from '../support/cli-run.ts'
import { processorMs } from '../support/processor-time.ts'
import { makePageProfile } from '../support/profiles.ts'

describe('fanlight profiles export and import', () => {
  it('takes a request and its sub-request from one store to another, as a page and as JSON', async () => {
    await using here = await cliFolder()
    const child = makePageProfile(1, { parentToken: 'parent0000' })
    const parent = makePageProfile(0, { token: 'parent0000', childTokens: [child.token] })
    await (await here.engine()).profiles.write([parent, child])
    for (const [option, name] of [
      ['--html', 'profile.html'],
      ['--json', 'profile.json'],
    ] as const) {
      const exported = await here.run(['profiles', 'export', 'parent0000', option, name])
      assert.deepEqual(exported, { exitCode: 0, stdout: `${name} written.\n`, stderr: '' })
      assert.equal(statSync(join(here.path, name)).mode & 0o077, 0, 'for its owner only')
      await using there = await cliFolder()
      const imported = await there.run(['profiles', 'import', join(here.path, name)])
      assert.equal(imported.stdout, `2 profiles imported: parent0000, ${child.token}\n`)
      assert.deepEqual(await (await there.engine()).profiles.read('parent0000'), parent)
      assert.deepEqual(await (await there.engine()).profiles.read(child.token), child)
    }
  })

  it('imports a long query of codes in a moment', async () => {
    await using folder = await cliFolder()
    const [long, profile] = [100_000, 15_000].map((codes, index) => {
      return makePageProfile(index, { data: { own: { url: `http://h/?${'code=1&'.repeat(codes)}state=2` } } })
    }) as [Profile, Profile]
    writeFileSync(join(folder.path, 'long.json'), JSON.stringify(profileFile([long, profile])))
    const ms = await processorMs(async () => {
      const { exitCode, stderr } = await folder.run(['profiles', 'import', 'long.json'])
      assert.deepEqual([exitCode, stderr], [0, ''])
    })
    assert.ok(ms < 8000, `${ms} ms of the processor`)
    const { data } = (await (await folder.engine()).profiles.read(profile.token)) ?? assert.fail('not imported')
    const { url: masked } = data['own'] as { readonly url: string }
    assert.ok(masked.startsWith('http://h/?code=******&code=******&') && masked.endsWith('&state=2'))
  })

  it('leaves out parts beyond the size of a profile, and says so; its Markdown is bounded, too', async () => {
    await using folder = await cliFolder()
    const wide = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`key${index}`, 'x'.repeat(20)]))
    // Each level is indented when it is written for people.
    const nested = Array.from({ length: 90 }).reduce<unknown>(
      (inner) => [inner],
      Array.from({ length: 400 }, () => 1),
    )
    const deep = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`deep${index}`, nested]))
    const notes = Array.from({ length: 1000 }, () => ({ source: 'a', message: 'b'.repeat(5000) }))
    for (const [name, data] of Object.entries<Profile['data']>({ wide: { own: wide }, deep, notes: { notes } })) {
      const profile = makePageProfile(name.length, { data })
      writeFileSync(join(folder.path, 'large.json'), JSON.stringify(profileFile([profile])))
      const { exitCode, stderr } = await folder.run(['profiles', 'import', 'large.json'])
      assert.deepEqual([exitCode, stderr], [0, ''], name)
      const kept = (await (await folder.engine()).profiles.read(profile.token)) ?? assert.fail(name)
      const { notes: said, ...parts } = kept.data
      assert.ok(JSON.stringify(Object.values(parts)).length <= 256 * 1024, name)
      assert.ok(JSON.stringify(kept).length <= 1_000_000, name)
      assert.ok(renderProfileMarkdown(kept).length <= 1_000_000, name)
      if (name === 'wide')
        assert.match(
          JSON.stringify(said),
          /"collector own","message":"left out: it gathered \d+ KB, a profile may hold 256 KB/,
        )
    }
  })

  it('refuses more parts than collectors can be', async () => {
    await using folder = await cliFolder()
    const data = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`part${index}`, 1]))
    writeFileSync(join(folder.path, 'many.json'), JSON.stringify(profileFile([makePageProfile(1, { data })])))
    const { exitCode, stderr } = await folder.run(['profiles', 'import', 'many.json'])
    assert.equal(exitCode, 1)
    assert.match(
      stderr,
      /many\.json cannot be imported: profiles\.0\.data: data by the names of at most 200 collectors/,
    )
  })

  it('never writes over a profile, and imports all or nothing', async () => {
    await using here = await cliFolder()
    const [one, two] = [makePageProfile(1), makePageProfile(2, { childTokens: [] })]
    const engine = await here.engine()
    await engine.profiles.write([one])
    await here.run(['profiles', 'export', one.token, '--json', 'one.json'])
    const file = JSON.parse(readFileSync(join(here.path, 'one.json'), 'utf8')) as { profiles: unknown[] }
    file.profiles = [two, { ...one, url: 'http://changed/' }]
    writeFileSync(join(here.path, 'both.json'), JSON.stringify(file))
    const { exitCode, stderr } = await here.run(['profiles', 'import', 'both.json'])
    assert.equal(exitCode, 1)
    assert.match(stderr, new RegExp(`both\\.json was not imported: Profile "${one.token}" refused`))
    assert.deepEqual(await engine.profiles.read(one.token), one)
    assert.equal(await engine.profiles.read(two.token), undefined)
  })

  it('masks before it writes, and says beforehand what', async () => {
    await using here = await cliFolder()
    const profile = makePageProfile(1, { url: 'http://h/?password=hunter2' })
    await (await here.engine()).profiles.write([profile])
    const preview = await here.run(['profiles', 'export', 'latest', '--preview', '--json', 'x.json'])
    assert.match(preview.stdout, /^1 profile; values masked: \d+, of these only for the export: 1\n/)
    assert.match(preview.stdout, new RegExp(`^${profile.token} url$`, 'm'))
    assert.throws(() => statSync(join(here.path, 'x.json')))
    for (const form of [[], ['--json'], ['--markdown']]) {
      const { exitCode, stdout } = await here.run(['profiles', 'export', profile.token, ...form])
      assert.equal(exitCode, 0)
      assert.ok(stdout.includes('http://h/?password=') && !stdout.includes('hunter2'), form.join(' '))
    }
  })

  it('does not write over a file unless told to', async () => {
    await using here = await cliFolder()
    await (await here.engine()).profiles.write([makePageProfile(1)])
    writeFileSync(join(here.path, 'mine.html'), 'mine')
    const refused = await here.run(['profiles', 'export', 'latest', '--html', 'mine.html'])
    assert.equal(refused.exitCode, 1)
    assert.match(refused.stderr, /mine\.html already exists; --force overwrites it/)
    assert.equal(readFileSync(join(here.path, 'mine.html'), 'utf8'), 'mine')
    assert.equal((await here.run(['profiles', 'export', 'latest', '--html', 'mine.html', '--force'])).exitCode, 0)
    const nowhere = await here.run(['profiles', 'export', 'latest', '--html', 'no/such/folder.html'])
    assert.match(nowhere.stderr, /no\/such\/folder\.html cannot be written \(ENOENT\)/)
  })

  it('names the file and what is wrong with it', async () => {
    await using here = await cliFolder()
    writeFileSync(
      join(here.path, 'bad.json'),
      '{"format":"fanlight-profile","version":1,"profiles":[{"token":"../x"}]}',
    )
    writeFileSync(join(here.path, 'other.har'), '{"log":{}}')
    writeFileSync(join(here.path, 'list.json'), '[]')
    writeFileSync(join(here.path, 'large.json'), '')
    truncateSync(join(here.path, 'large.json'), 9 * 1024 * 1024)
    for (const [file, exitCode, message] of [
      ['bad.json', 1, /bad\.json cannot be imported: profiles\.0\.token: a token is 10 to 16 of 0-9 and a-z/],
      [
        'other.har',
        1,
        /other\.har cannot be imported: it contains no profiles; use a file that "profiles export" wrote/,
      ],
      ['list.json', 1, /list\.json cannot be imported: it contains no profiles/],
      ['large.json', 1, /large\.json cannot be imported: it has 9437184 bytes, more than the limit of 8388608/],
      ['.', 1, /\. cannot be imported: it is not a file/],
      ['none.json', 3, /none\.json cannot be read \(ENOENT\)/],
    ] as const) {
      const run = await here.run(['profiles', 'import', file])
      assert.equal(run.exitCode, exitCode, file)
      assert.match(run.stderr, message)
      assert.equal(run.stderr.trim().split('\n').length, 1)
    }
    assert.equal((await here.run(['profiles', 'export', 'aaaaaaaaaaaa'])).exitCode, 3)
  })

  it('says so where a profile is older than the store keeps', async () => {
    await using here = await cliFolder()
    const old = makePageProfile(1, { time: 0 })
    writeFileSync(
      join(here.path, 'old.json'),
      JSON.stringify({ format: 'fanlight-profile', version: 1, profiles: [old] }),
    )
    const { exitCode, stderr } = await here.spawn(['profiles', 'import', 'old.json'])
    assert.equal(exitCode, 1)
    assert.match(stderr, /old\.json was not kept in whole: it is older than sqlite:/)
  })
})
