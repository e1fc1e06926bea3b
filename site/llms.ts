// The documentation for language models: `llms.txt` lists the pages, `llms-full.txt` is all of them, and each page is there
// as Markdown at its address with `.md`.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Section } from './sidebar.ts'

/** Writes them into the built site. Decisions are left out: they tell how things came to be. */
export function writeLlmsFiles(docs: string, site: string, sections: readonly Section[]): void {
  const kept = sections.filter(({ title }) => title !== 'Decisions')
  const pages = kept.flatMap((section) => section.pages)
  for (const { file } of pages) {
    mkdirSync(path.dirname(path.join(site, file)), { recursive: true })
    cpSync(path.join(docs, file), path.join(site, file))
  }
  writeFileSync(path.join(site, 'llms.txt'), overviewOf(kept))
  const whole = pages.map(({ file }) => `<!-- ${file} -->\n\n${readFileSync(path.join(docs, file), 'utf8').trim()}\n`)
  writeFileSync(path.join(site, 'llms-full.txt'), whole.join('\n'))
}

/** See https://llmstxt.org. */
function overviewOf(sections: readonly Section[]): string {
  const lists = sections.map(({ title, pages }) => {
    const lines = pages.map(
      (page) => `- [${page.title}](${page.file})${page.summary === '' ? '' : `: ${page.summary}`}`,
    )
    return `## ${title}\n\n${lines.join('\n')}\n`
  })
  return `# Fanlight

> A TypeScript web framework for Node with a built-in request profiler and error pages that name the cause. The profiler also
> works inside Express, Fastify, Koa, Hono, Nest and h3.

All pages in one file: [llms-full.txt](llms-full.txt). How to ask a running application what it did (MCP, JSON, command line):
[Agents and other tools](guides/agents.md).

${lists.join('\n')}`
}
