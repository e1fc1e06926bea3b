// `POST /_profiler/rows`: rows of the application's database as JSON, for `fanlight mcp`. Not there while it is switched off.

import { answerForm } from '../../pages/posted-form.ts'
import type { ProfilerPage } from '../../pages/profiler-page.ts'
import { profilerJson } from '../../pages/profiler-reply.ts'

/** `sql`, and `limit` or the usual one. */
export const rowsPage: ProfilerPage = async ({ request }, { options: { readDatabase }, missing }) => {
  if (readDatabase === undefined) return missing
  return answerForm(request, 'Rows', async (field) => {
    const limit = field('limit') === '' ? undefined : Number(field('limit'))
    return profilerJson(200, await readDatabase(field('sql'), limit))
  })
}
