import assert from 'node:assert/strict'
import { fc } from '../../../support/fast-check.ts'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'
import {
  curlCommand,
  powerShellCommand,
  quotePosix,
  quotePowerShell,
} from '../../../../src/profiler/query/shell-commands.ts'
import { repeatableRequest, type RepeatableRequest } from '../../../../src/profiler/replay/repeatable-request.ts'
import type { Profile } from '../../../../src/profiler/profile.ts'
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

describe('quotePowerShell', () => {
  it('doubles every character that PowerShell takes for a single quote', () => {
    assert.equal(
      quotePowerShell(`a'b\u2018c\u2019d\u201ae\u201bf"$x\``),
      `'a''b\u2018\u2018c\u2019\u2019d\u201a\u201ae\u201b\u201bf"$x\`'`,
    )
  })

  it('leaves no quote alone inside the outer ones', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("'", '\u2018', '\u2019', '\u201a', '\u201b', '"', '$', '`', 'x') }),
        (text) => {
          const inside = quotePowerShell(text).slice(1, -1)
          assert.equal(inside.replace(/(['\u2018-\u201b])\1/g, '').search(/['\u2018-\u201b]/), -1)
          assert.equal(inside.replace(/(['\u2018-\u201b])\1/g, '$1'), text)
        },
      ),
      { numRuns: 200 },
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

  it('sends no body in which a value is masked', () => {
    const content = { kind: 'json', value: { name: 'Ada', password: '******' } }
    const body = { state: 'kept', mediaType: 'application/json', readBytes: 5, content }
    const data = { request: { headers: [], responseHeaders: [], bytes: null, body } }
    const request = requestOf({ method: 'POST', url: 'http://h/', data })
    assert.equal(curlCommand(request), "curl --path-as-is --globoff 'http://h/' \\\n  --request 'POST'")
  })

  it('writes GET without a method and HEAD as curl has it', () => {
    const commandOf = (method: string): string => curlCommand(requestOf({ method, url: 'http://h/', data: {} }))
    assert.equal(commandOf('GET'), "curl --path-as-is --globoff 'http://h/'")
    assert.equal(commandOf('HEAD'), "curl --path-as-is --globoff 'http://h/' \\\n  --head")
  })
})

describe('powerShellCommand', () => {
  it('puts every part into quotes, and fields of one name into one', () => {
    const headers = [
      ['accept', "it's"],
      ['X-A', '1'],
      ['x-a', '2'],
    ] as const
    assert.equal(
      powerShellCommand({
        method: 'PUT',
        url: "http://h/'",
        headers,
        body: { state: 'there', kind: 'json', mediaType: '', text: '{"a":"\'"}' },
        missing: [],
      }),
      "Invoke-WebRequest -Uri 'http://h/''' `\n  -CustomMethod 'PUT' `\n  -Headers @{ 'accept' = 'it''s'; 'x-a' = '1, 2' } `\n  -Body '{\"a\":\"''\"}' `\n  -SkipHeaderValidation -SkipHttpErrorCheck",
    )
  })
})
