import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { allPages } from '../../../src/profiler/web/all-pages.ts'
import { pageRoutes } from '../../../src/profiler/web/page-routes.ts'

describe('pageRoutes', () => {
  it('names every page of the profiler, in the same order', () => {
    assert.deepEqual(
      pageRoutes,
      allPages.map(({ name, path }) => ({ name, path })),
    )
  })
})
