// `/_profiler/status`: how the profiler itself fares, as a page, as JSON and as Markdown.

import { heading } from '../profiler-pages.ts'
import type { ProfilerPage } from '../profiler-page.ts'
import { statusContent, statusStyles } from './status-content.ts'
import { statusFacts } from './status-facts.ts'
import { statusMarkdown } from './status-markdown.ts'
import { readSurroundings } from './surroundings.ts'

/** Not there where the controller was given no source. */
export const statusPage: ProfilerPage = {
  name: '_profiler_status',
  path: 'status',
  label: 'Status',
  async answer(exchange, { options: { status, projectRoot }, missing }) {
    if (status === undefined) return missing(exchange)
    const data = await status.read()
    const surroundings = projectRoot === undefined ? null : await readSurroundings(projectRoot, process.env)
    return {
      html: () => ({
        title: 'Status of the profiler',
        headline: heading('Status of the profiler'),
        tone: statusFacts(data).problems.length === 0 ? 'neutral' : 'warning',
        content: statusContent(data, surroundings),
        styles: [statusStyles],
      }),
      json: () => ({ ...data, surroundings }),
      markdown: () => statusMarkdown(data, surroundings),
    }
  },
}
