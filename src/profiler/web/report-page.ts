// `POST /_profiler/<token>/browser` and `POST /_profiler/browser`: what a page says of itself.

import { HttpError } from '../../framework/http/http-error.ts'
import { maxReportBytes } from '../browser/browser-report.ts'
import { fromStore, type ProfilerPage } from './profiler-page.ts'
import { profilerJson, profilerTaken } from './profiler-reply.ts'

/** 204, or `{ error }` with a status that says why the report was not kept. */
export const reportPage: ProfilerPage = async ({ request }, { options, missing }) => {
  const { browserReports } = options
  if (browserReports === undefined) return missing
  let text: string
  try {
    request.body.limitTo(maxReportBytes)
    text = await request.body.text()
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    return profilerJson(error.statusCode, { error: error.message })
  }
  const token = request.params['token']
  const reporter = {
    ip: request.clientAddress,
    userAgent: request.header('user-agent') ?? '',
    host: request.authority,
  }
  const taken = await fromStore(async () =>
    browserReports.take(token === undefined ? null : String(token), text, reporter),
  )
  return taken.problem === undefined ? profilerTaken() : profilerJson(taken.status, { error: taken.problem })
}
