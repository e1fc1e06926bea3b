// `POST /_profiler/rows`: rows of the application's databases as JSON, for `fanlight mcp`. Not there while it is switched off.

import { answerForm } from '../../pages/posted-form.ts'
import type { ProfilerPage } from '../../pages/profiler-page.ts'
import { profilerJson } from '../../pages/profiler-reply.ts'

export const rowsPage: ProfilerPage = async ({ request }, { options: { readDatabase }, missing }) => {
  if (readDatabase === undefined) return missing
  return answerForm(request, 'Rows', async (field) => {
    const [sql, database, limit] = [field('sql'), field('database') || undefined, Number(field('limit')) || undefined]
    return profilerJson(200, await readDatabase({ sql, database, limit }))
  })
}
