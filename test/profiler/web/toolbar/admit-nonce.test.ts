import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { admitNonce, policiesWithNonce } from '../../../../src/pages/toolbar/page-toolbar.ts'

describe('policiesWithNonce', () => {
  const cases: readonly (readonly [what: string, policy: string, changed: string])[] = [
    ['takes the place of none', "script-src 'none'; style-src 'NONE'", "script-src 'nonce-n'; style-src 'nonce-n'"],
    [
      'adds directives where default-src decides, with what that allows',
      "default-src 'self' cdn.example; img-src *",
      "default-src 'self' cdn.example; img-src *; script-src 'self' cdn.example 'nonce-n'; style-src 'self' cdn.example 'nonce-n'",
    ],
    [
      'leaves the closing semicolon of a policy out of the way',
      "default-src 'none';",
      "default-src 'none'; script-src 'nonce-n'; style-src 'nonce-n'",
    ],
    [
      'adds nothing where nothing is refused',
      "img-src 'self'; frame-ancestors 'none'",
      "img-src 'self'; frame-ancestors 'none'",
    ],
    [
      "keeps 'unsafe-inline' at work, which a nonce would end",
      "script-src 'self' 'unsafe-inline'; style-src 'unsafe-inline'",
      "script-src 'self' 'unsafe-inline'; style-src 'unsafe-inline'",
    ],
    [
      "adds a nonce beside another one, and beside a hash, where 'unsafe-inline' counts no more",
      "script-src 'unsafe-inline' 'nonce-a'; style-src 'unsafe-inline' 'sha256-x'",
      "script-src 'unsafe-inline' 'nonce-a' 'nonce-n'; style-src 'unsafe-inline' 'sha256-x' 'nonce-n'",
    ],
    [
      "adds a nonce to a script-src of 'strict-dynamic', where 'unsafe-inline' counts no more",
      "script-src 'strict-dynamic' 'unsafe-inline'",
      "script-src 'strict-dynamic' 'unsafe-inline' 'nonce-n'",
    ],
    [
      'changes the directive for elements where there is one, and not the other',
      "script-src 'self'; script-src-elem a.example; style-src 'none'",
      "script-src 'self'; script-src-elem a.example 'nonce-n'; style-src 'nonce-n'",
    ],
    [
      'reads names in any letter case, and the first of two',
      "Script-Src 'self'; script-src 'none'; STYLE-SRC 'self'",
      "Script-Src 'self' 'nonce-n'; script-src 'none'; STYLE-SRC 'self' 'nonce-n'",
    ],
    ['fills an empty list, which refuses everything', 'script-src', "script-src 'nonce-n'"],
    [
      'changes every policy of a list',
      "script-src 'self', style-src 'none'",
      "script-src 'self' 'nonce-n', style-src 'nonce-n'".replace(', style', ',style'),
    ],
    ['leaves an empty field empty', '', ''],
  ]
  for (const [what, policy, changed] of cases) {
    it(what, () => assert.equal(policiesWithNonce(policy, 'n'), changed))
  }

  const connections: readonly (readonly [what: string, policy: string, changed: string])[] = [
    [
      'lets reports out where nothing is allowed',
      "connect-src 'none'",
      'connect-src a.example:8000/_profiler/x/browser',
    ],
    [
      'makes a directive where default-src decides',
      "default-src 'none'; script-src *; style-src *",
      "default-src 'none'; script-src * 'nonce-n'; style-src * 'nonce-n'; connect-src a.example:8000/_profiler/x/browser",
    ],
    ['leaves a policy that allows the own origin', "connect-src 'self' api.example", "connect-src 'self' api.example"],
    ['leaves a policy that allows everything', 'connect-src *', 'connect-src *'],
    ['leaves a policy that says nothing of it', "img-src 'none'", "img-src 'none'"],
  ]
  for (const [what, policy, changed] of connections) {
    it(what, () => assert.equal(policiesWithNonce(policy, 'n', 'a.example:8000/_profiler/x/browser'), changed))
  }

  it('refuses a sandbox', () => {
    assert.equal(policiesWithNonce("default-src 'self'; sandbox allow-scripts", 'n'), null)
  })
})

describe('admitNonce', () => {
  it('changes every policy field and no other', () => {
    const headers = ['X-A', "script-src 'none'", 'Content-Security-Policy', "script-src 'none'"]
    const reported = ['content-security-policy-report-only', "script-src 'self'; report-uri /r"]
    assert.deepEqual(admitNonce([...headers, ...reported], 'n'), [
      'X-A',
      "script-src 'none'",
      'Content-Security-Policy',
      "script-src 'nonce-n'",
      'content-security-policy-report-only',
      "script-src 'self' 'nonce-n'; report-uri /r",
    ])
  })

  it('gives up where one policy is a sandbox', () => {
    assert.equal(admitNonce(['content-security-policy', 'sandbox'], 'n'), null)
  })
})
