// `/_profiler/open-requests`: the requests of this process that have not answered.

import { heading } from '../profiler-pages.ts'
import type { ProfilerPage } from '../profiler-page.ts'
import { openRequestsMarkdown } from './open-requests-markdown.ts'
import { openRequestsPage, openRequestsStyles } from './open-requests-page.ts'
import { openRequestsScript } from './open-requests-script.ts'

/** Not there where the controller was given no list. */
export const openPage: ProfilerPage = {
  name: '_profiler_open',
  path: 'open-requests',
  label: 'Open requests',
  async answer(exchange, { options: { openRequests, profilerPath, editor }, linkTo, missing }) {
    if (openRequests === undefined) return missing(exchange)
    const data = openRequests.read()
    return {
      html: () => ({
        title: 'Open requests',
        headline: heading('Open requests'),
        content: openRequestsPage(data, { profilerPath, linkTo, editor }),
        styles: [openRequestsStyles],
        scripts: [openRequestsScript],
      }),
      json: () => data,
      markdown: () => openRequestsMarkdown(data),
    }
  },
}
