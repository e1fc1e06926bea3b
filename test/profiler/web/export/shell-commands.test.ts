import assert from 'node:assert/strict'
import { fc } from '../../../support/fast-check.ts'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { quotePosix } from '../../../../src/base/markdown-text.ts'
import { curlCommand, repeatableRequest, type RepeatableRequest } from '../../../../src/profiles/repeatable-request.ts'
import type { Profile } from '../../../../src/observe/profile.ts'
import { makeProfile } from '../../../support/profiles.ts'

/** What a command hands to `curl`, as a real shell reads it. */
function argumentsOf(command: string): string[] {
  const script = `curl() { for word; do printf '%s\\0' "$word"; done; }\n${command}`
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)
}

function requestOf(parts: Partial<Profile>): RepeatableRequest {
  const repeatable = repeatableRequest(makeProfile(parts))
  assert.equal(repeatable.state, 'repeatable')
  return repeatable.request
}

const nasty = `'; touch /tmp/x; '$(id)\`id\`"\\ !$HOME%PATH%`

describe('quotePosix', () => {
  it('is one word of a shell, whatever is in it', () => {
    const words = fc.array(
      fc.oneof(
        fc.constantFrom("'", "''", '"', '\\', '$(x)', '`', '\n', ' ', '', '!', '*', '~', '-'),
        fc.string({ unit: 'grapheme' }),
      ),
      { minLength: 1, maxLength: 40 },
    )
    fc.assert(
      fc.property(words, (texts) => {
        const plain = texts.map((text) => text.replaceAll('\0', ''))
        assert.deepEqual(argumentsOf(`curl ${plain.map(quotePosix).join(' ')}`), plain)
      }),
      { numRuns: 40 },
    )
  })
})

describe('curlCommand', () => {
  it('sends what was sent, but for what was masked and what every client makes itself', () => {
    const headers = [
      ['Host', '127.0.0.1:8000'],
      ['accept', 'text/html'],
      ['X-Empty', ''],
      ['User-Agent', nasty],
      ['authorization', '******'],
      ['Cookie', 'a=******'],
      ['Sec-Fetch-Mode', 'navigate'],
      ['@/etc/passwd', 'x'],
      ['bad name', 'x'],
      ['x-lines', 'a\r\nb'],
    ]
    const url = "http://127.0.0.1:8000//a/../b'c?x[]=1&y={2,3}$(id)"
    const body = { state: 'kept', mediaType: '', readBytes: 5, content: { kind: 'text', text: nasty } }
    const data = { request: { headers, responseHeaders: [], bytes: null, body } }
    const request = requestOf({ method: 'POST', url, data })
    assert.deepEqual(argumentsOf(curlCommand(request)), [
      '--path-as-is',
      '--globoff',
      url,
      '--request',
      'POST',
      '--header',
      'accept: text/html',
      '--header',
      'X-Empty;',
      '--header',
      `User-Agent: ${nasty}`,
      '--data-raw',
      nasty,
    ])
  })

  it('sends the body with its masks where values are masked', () => {
    const content = { kind: 'json', value: { name: 'Ada', password: '******' } }
    const body = { state: 'kept', mediaType: 'application/json', readBytes: 5, content }
    const data = { request: { headers: [], responseHeaders: [], bytes: null, body } }
    const request = requestOf({ method: 'POST', url: 'http://h/', data })
    assert.equal(
      curlCommand(request),
      'curl --path-as-is --globoff \'http://h/\' \\\n  --request \'POST\' \\\n  --data-raw \'{"name":"Ada","password":"******"}\'',
    )
  })

  it('writes GET without a method and HEAD as curl has it', () => {
    const commandOf = (method: string): string => curlCommand(requestOf({ method, url: 'http://h/', data: {} }))
    assert.equal(commandOf('GET'), "curl --path-as-is --globoff 'http://h/'")
    assert.equal(commandOf('HEAD'), "curl --path-as-is --globoff 'http://h/' \\\n  --head")
  })
})
