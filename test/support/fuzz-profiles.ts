// What is stored or handed on and read again: profiles in the store, exported files.

import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fc } from './fast-check.ts'
import { openEngine } from '../../src/app/open-engine.ts'
import { isProfileRefusedError } from '../../src/profiles/profile-store.ts'
import { ProfileFileError, profileFile, readProfileFile } from '../../src/analysis/export/profile-file.ts'
import { builtInPanels } from '../../src/analysis/pages/panels.ts'
import { anyJson, assertAnswered, hostileText, type OpenTarget } from './fuzz-input.ts'
import { makePageProfile, makeProfile, makeToken } from './profiles.ts'
import { startApp } from './running-app.ts'
import { removeDirectory } from './temporary-directory.ts'

/** See the name. */
export async function openProfiles(): Promise<OpenTarget> {
  const directory = mkdtempSync(join(tmpdir(), 'fanlight-fuzz-'))
  const store = `sqlite:${join(directory, 'store.db')}`
  const app = await startApp({ env: { APP_STORE: store } })
  const engine = await openEngine(store)
  const panels = builtInPanels.map(({ name }) => name)
  const realData = Object.values(makePageProfile(0).data)
  const piece = fc.oneof(anyJson, fc.constantFrom(...realData))
  const data = fc.dictionary(
    fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...panels, 'notes', 'dump') }, fc.string({ maxLength: 8 })),
    piece,
    { maxKeys: 8 },
  )
  const property = fc.asyncProperty(data, hostileText, fc.integer(), async (gathered, hostile, status) => {
    const profile = makeProfile({
      data: gathered,
      url: hostile,
      method: hostile.slice(0, 20),
      route: hostile,
      status,
      handler: hostile,
      errorClass: hostile,
    })
    try {
      await engine.profiles.write([profile])
    } catch (error) {
      assert.ok(isProfileRefusedError(error), String(error))
      return
    }
    for (const target of [
      `/_profiler/${profile.token}`,
      ...panels.map((panel) => `/_profiler/${profile.token}?panel=${panel}`),
      `/_profiler/${profile.token}.json`,
      '/_profiler/',
    ])
      await assertAnswered(app.port, `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`, 'GET')
  })
  return {
    property,
    async close() {
      await engine.close()
      await app[Symbol.asyncDispose]()
      await removeDirectory(directory)
    },
  }
}

/** See the name. */
export async function openExports(): Promise<OpenTarget> {
  const valid = JSON.stringify(profileFile([makePageProfile(0), makeProfile()]))
  const damaged = fc
    .tuple(
      fc.nat(valid.length),
      fc.nat(60),
      fc.oneof(
        hostileText,
        anyJson.map((value) => JSON.stringify(value)),
      ),
    )
    .map(([at, length, text]) => valid.slice(0, at) + text + valid.slice(at + length))
  const replaced = fc
    .tuple(fc.constantFrom('token', 'childTokens', 'data', 'status', 'time', 'url', 'parentToken'), anyJson)
    .map(([field, value]) => JSON.stringify(profileFile([{ ...makeProfile(), token: makeToken(), [field]: value }])))
  const whole = anyJson.map((value) => JSON.stringify({ format: 'fanlight-profile', version: 1, profiles: value }))
  const property = fc.asyncProperty(
    fc.oneof(damaged, replaced, whole, hostileText, fc.constant('['.repeat(100_000))),
    async (content) => {
      try {
        for (const { token, url } of readProfileFile(content)) {
          assert.match(token, /^[0-9a-z]{10,16}$/)
          assert.equal(typeof url, 'string')
        }
      } catch (error) {
        assert.ok(error instanceof ProfileFileError, String(error))
      }
    },
  )
  return { property, close: async () => undefined }
}
