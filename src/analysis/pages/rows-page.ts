// `POST /_profiler/rows`: rows of the application's databases as JSON, for `fanlight mcp`. Not there while it is switched off.

import { answerForm } from '../../pages/posted-form.ts'
import type { ProfilerPage } from '../../pages/profiler-page.ts'
import { profilerJson } from '../../pages/profiler-reply.ts'

export const rowsPage: ProfilerPage = async ({ request }, { options: { readDatabase }, missing }) => {
  if (readDatabase === undefined) return missing
  return answerForm(request, 'Rows', async (field) => {
    const order = { sql: field('sql'), database: field('database') || undefined, limit: Number(field('limit')) }
    return profilerJson(200, await readDatabase(order))
  })
}
