import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Redactor } from '../../../../src/base/redact/redactor.ts'
import { maskProfile } from '../../../../src/analysis/export/export-forms.ts'
import { profileFile, ProfileFileError, readProfileFile } from '../../../../src/analysis/export/profile-file.ts'
import { renderProfileHtml } from '../../../../src/analysis/pages/export/profile-html.ts'
import { builtInPanels } from '../../../../src/analysis/pages/panels.ts'
import { hostileProfile } from '../../../support/hostile-profile.ts'
import { makeProfile, makePageProfile } from '../../../support/profiles.ts'

const written = (profiles: Parameters<typeof profileFile>[0]): string => JSON.stringify(profileFile(profiles))

describe('readProfileFile', () => {
  it('reads what was written, as JSON and inside a page', () => {
    const child = makePageProfile(1)
    const profile = makePageProfile(0, { childTokens: [child.token] })
    assert.deepEqual(readProfileFile(written([profile, child])), [profile, child])
    assert.deepEqual(readProfileFile(renderProfileHtml([profile, child], builtInPanels)), [profile, child])
  })

  it('reads a hostile profile back from its page unchanged', () => {
    const profile = makeProfile({ data: { ...hostileProfile().data, x: '</script><!-- \u2028' } })
    assert.deepEqual(readProfileFile(renderProfileHtml([profile], builtInPanels)), [profile])
  })

  it('leaves out what is not part of a profile', () => {
    const [read] = readProfileFile(written([{ ...makeProfile(), more: 1 } as never]))
    assert.ok(read !== undefined && !Object.hasOwn(read, 'more'))
  })

  const refused: readonly (readonly [what: string, content: string, message: RegExp])[] = [
    ['no JSON', 'x', /not JSON; use a file/],
    ['a page without a profile', '<!doctype html><p>x', /the page contains no profile/],
    ['another document', '{"log":{}}', /it contains no profiles; use a file/],
    ['no profile', written([]), /profiles: /],
    [
      'a token that could be a path',
      written([makeProfile({ token: '../../x' })]),
      /profiles\.0\.token: a token is 10 to 16/,
    ],
    [
      'a child that could be a path',
      written([makeProfile({ childTokens: ['..'] })]),
      /profiles\.0\.childTokens\.0: a token/,
    ],
    ['an invalid status', written([makeProfile({ status: 1000 })]), /profiles\.0\.status/],
    ['an invalid instant', written([makeProfile({ time: 1e300 })]), /profiles\.0\.time/],
    ['a URL without end', written([makeProfile({ url: 'x'.repeat(30_000) })]), /profiles\.0\.url/],
    ['data that is a list', written([makeProfile({ data: [] as never })]), /profiles\.0\.data: data by the names/],
    [
      'one profile twice',
      written([makeProfile({ token: 'aaaaaaaaaa' }), makeProfile({ token: 'aaaaaaaaaa' })]),
      /appears twice/,
    ],
    ['too many', written(Array.from({ length: 51 }, () => makeProfile())), /profiles: /],
  ]
  for (const [what, content, message] of refused) {
    it(`refuses ${what}`, () => {
      assert.throws(
        () => readProfileFile(content),
        (error: unknown) => {
          assert.ok(error instanceof ProfileFileError)
          assert.match(error.message, message)
          return true
        },
      )
    })
  }
})

describe('maskProfile', () => {
  it('changes nothing that was masked when it was recorded', () => {
    const profile = makePageProfile(0)
    const { profile: masked, newlyMasked } = maskProfile(profile, new Redactor())
    assert.deepEqual(masked, profile)
    assert.equal(newlyMasked, 0)
  })

  it('masks what rules of today know, names the places, and leaves tokens alone', () => {
    const profile = makeProfile({
      url: 'http://h/?password=hunter2',
      data: { dump: ['x', { y: 'Bearer abcdefghijklmnopqrstuvwxyz' }] },
    })
    const { profile: masked, places, newlyMasked } = maskProfile(profile, new Redactor())
    assert.ok(!JSON.stringify(masked).includes('hunter2') && !JSON.stringify(masked).includes('abcdefghij'))
    assert.deepEqual(places, ['url', 'data.dump.1.y'])
    assert.equal(newlyMasked, 2)
    assert.equal(masked.token, profile.token)
  })

  it('refuses data without a bottom', () => {
    const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`) as unknown
    assert.throws(
      () => maskProfile(makeProfile({ data: { deep } }), new Redactor()),
      /nested deeper than 100 levels at data\.deep/,
    )
  })
})

it('renderProfileHtml: has a policy, no script, and nothing that leads out of the file', () => {
  const page = renderProfileHtml([hostileProfile()], builtInPanels)
  assert.match(
    page,
    /<meta charset="utf-8" \/><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-/,
  )
  assert.deepEqual(page.match(/<script[^>]*>/g), ['<script type="application/json" id="fanlight-profile">'])
  assert.doesNotMatch(page, /<(?:img|svg)[^>]*\son\w+=/)
  assert.doesNotMatch(page, /(?:href|src|action)="\//)
})
