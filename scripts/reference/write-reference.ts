// Writes the reference of the public interface as Markdown, a page for each entry: `docs/reference/api/`. Not committed:
// `npm run docs` and `npm run docs:build` make it.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { readPublicApi, type Entry, type PublicName } from './public-api.ts'

const sections = { function: 'Functions', class: 'Classes', type: 'Types', value: 'Values' } as const

/** The page of an entry: `fanlight/profiler` is `fanlight-profiler.md`. */
export const pageOf = (entry: string): string => `${entry.replace('/', '-')}.md`

/** The pages by file name. An entry without names has none. */
export function referencePages(root: string): ReadonlyMap<string, string> {
  const entries = readPublicApi(root).filter(({ names }) => names.length > 0)
  return new Map([
    ['index.md', indexPage(entries)],
    ...entries.map((entry) => [pageOf(entry.name), entryPage(entry)] as const),
  ])
}

/** Writes them; the folder has nothing else afterwards. */
export function writeReference(root: string): void {
  const folder = path.join(root, 'docs/reference/api')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [file, text] of referencePages(root)) writeFileSync(path.join(folder, file), text)
}

function indexPage(entries: readonly Entry[]): string {
  const rows = entries.map(({ name, purpose, names }) => {
    const exported = names
      .filter(({ depth }) => depth === 0)
      .map((found) => `[\`${found.name}\`](${linkTo(found, '')})`)
    return `## [\`${name}\`](${pageOf(name)})\n\n${sentence(purpose)}\n\n${exported.join(' · ')}\n`
  })
  return `# API\n\nWhat can be imported, by entry. It is made from the doc comments of the sources.\n\n${rows.join('\n')}`
}

/** `The public entry x: an application.` is `An application.` */
function sentence(purpose: string): string {
  const text = purpose.replace(/^The public entry `[^`]+`: /, '')
  return escaped(text.charAt(0).toUpperCase() + text.slice(1))
}

function entryPage({ name, purpose, names }: Entry): string {
  const exported = names.filter(({ depth }) => depth === 0)
  const further = names.filter(({ depth }) => depth > 0).toSorted(byName)
  const parts: string[] = []
  for (const [kind, title] of Object.entries(sections)) {
    const own = exported.filter((found) => found.kind === kind).toSorted(byName)
    if (own.length > 0) parts.push(`## ${title}\n`, ...own.map(nameText))
  }
  if (further.length > 0) {
    parts.push(
      '## Types inside these\n',
      'They have no name to import; they are the types of parameters and members above.\n',
    )
    parts.push(...further.map(nameText))
  }
  return `---\npageClass: api\n---\n\n# ${name}\n\n${sentence(purpose)}\n\n${parts.join('\n')}`
}

function nameText(found: PublicName): string {
  const { name, doc, code, members, uses, entry } = found
  const rows = members.map((member) => `| ${cellCode(member.code)} | ${cell(member.doc)} |`)
  const table = rows.length === 0 ? '' : `| member | meaning |\n|---|---|\n${rows.join('\n')}\n\n`
  const links = uses.toSorted(byName).map((used) => `[\`${used.name}\`](${linkTo(used, entry)})`)
  const types = links.length === 0 ? '' : `Types: ${links.join(', ')}\n`
  return `### ${name}\n\n${escaped(doc)}\n\n\`\`\`ts\n${code.replace(/\s*\{$/, '')}\n\`\`\`\n\n${table}${types}`
}

const byName = (one: PublicName, other: PublicName): number => one.name.localeCompare(other.name, 'en')

const linkTo = (found: PublicName, from: string): string =>
  `${found.entry === from ? '' : pageOf(found.entry)}#${found.name.toLowerCase()}`

/** Markup in a doc comment is text, but for what is between backticks. */
const escaped = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;')))
    .join('')

const cell = (text: string): string =>
  escaped(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll('|', String.raw`\|`)

/** Code in a cell has one line and no bar. A type may contain backticks. */
const cellCode = (code: string): string => {
  const line = code
    .replaceAll(/\/\*\*.*?\*\//gs, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('|', String.raw`\|`)
    .trim()
  return line.includes('`') ? `\`\` ${line} \`\`` : `\`${line}\``
}
