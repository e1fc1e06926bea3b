// `POST /_profiler/routes`: starts the application once more, for routes that it does not add.

import { codeSpan } from '../base/markdown-text.ts'
import { toSections } from '../observe/blocks/sections.ts'
import { blockStyles, drawBlocks, wideStyles } from './draw-blocks.ts'
import type { ProfilerPage } from './profiler-page.ts'
import { sectionsMarkdown } from './question-page.ts'

/** Not there where it cannot be started. */
export const skippedPage: ProfilerPage = async (_, { options: { askSkipped, editor }, linkTo, missing }) => {
  if (askSkipped === undefined) return missing
  const blocks = await askSkipped()
  const title = 'Routes that were not added'
  return {
    html: () => ({ title, content: drawBlocks(blocks, 'call', { linkTo, editor }), styles: [blockStyles, wideStyles] }),
    json: () => ({ skipped: toSections(blocks, (said) => said) }),
    markdown: () => sectionsMarkdown(title, toSections(blocks, codeSpan)),
  }
}
