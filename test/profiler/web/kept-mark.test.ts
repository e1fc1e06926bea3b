import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { keptMark } from '../../../src/pages/notes.ts'
import { builtInPanels } from '../../../src/analysis/pages/panels.ts'
import { pageText } from '../../support/page-text.ts'
import { makeProfile } from '../../support/profiles.ts'

describe('keptMark', () => {
  it('says how much of how much was kept, and nothing where nothing is missing', () => {
    assert.equal(pageText(String(keptMark(412, 1500, 'lines'))), '412 of 1,912 lines recorded.')
    assert.equal(keptMark(5, 0, 'lines'), null)
    assert.equal(keptMark(5, Number.NaN, 'lines'), null)
  })

  it('is on every panel whose list was cut', () => {
    const cut: Readonly<Record<string, unknown>> = {
      logger: { records: [], dropped: 1912 },
      events: { calls: [], notCalled: [], dropped: 1912 },
      'http-client': { calls: [], dropped: 1912, durationMs: 1 },
      database: { queries: [], groups: [], findings: [], dropped: 1912, durationMs: 1 },
      dump: { dumps: [], dropped: 1912 },
      time: { spans: [], droppedSpans: 1912, durationMs: 1, children: [], subRequests: [] },
      router: { route: null, params: [], trace: [], suggestions: [], droppedRoutes: 1912 },
    }
    for (const [name, data] of Object.entries(cut)) {
      const panel = builtInPanels.find((one) => one.name === name)
      const view = {
        profile: makeProfile({ data: { [name]: data } }),
        linkTo: (token: string) => `/_profiler/${token}`,
      }
      const text = pageText(String(panel?.render(data as never, view as never)))
      assert.match(text, /0 of 1,912 [\w ]+ recorded/, name)
    }
  })
})
