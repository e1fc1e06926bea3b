// The parts of a profile that are described once. What is added here has its panel, and its forms as Markdown and for agents.

import { activityPart } from './activities/activity-kind.ts'
import { activityKinds } from './activities/all.ts'
import type { DescribedPart } from './blocks/described-part.ts'
import { httpClientPart } from './capture/http-client-data.ts'
import { commandPart } from './collectors/command.ts'
import { dumpPart } from './collectors/dump.ts'
import { eventsPart } from './collectors/events.ts'
import { findingsPart } from './collectors/findings.ts'
import { graphqlPart } from './collectors/graphql.ts'
import { jobPart } from './collectors/job.ts'
import { sessionPart } from './collectors/session-part.ts'
import { taskPart } from './collectors/task.ts'
import { codePart } from './ran/ran-code.ts'
import type { Profile } from './profile.ts'
import { isoTime } from './query/profile-facts.ts'
import type { Blocks, Block, Inline, Line } from './blocks/blocks.ts'

/** By name. Each gets only what its own collector wrote. */
export const describedParts: ReadonlyMap<string, DescribedPart> = new Map(
  [
    ...activityKinds.map(activityPart),
    codePart,
    commandPart,
    dumpPart,
    eventsPart,
    findingsPart,
    graphqlPart,
    httpClientPart,
    jobPart,
    sessionPart,
    taskPart,
  ].map((part) => [part.name, part as DescribedPart]),
)

/** What a profile has of one part, as Markdown. `undefined` for other names, and for data in a form that is not known. */
export function partSections(
  profile: Profile,
  name: string,
  quote: (text: string) => string,
): readonly Section[] | undefined {
  try {
    const blocks = describedParts.get(name)?.draw(profile.data[name], profile)
    return blocks && toSections(blocks, quote)
  } catch {
    return undefined
  }
}

interface Section {
  readonly title: string | undefined
  readonly text: string | undefined
  readonly items: readonly string[]
}

/** `quote` makes recorded text safe. */
function toSections(blocks: Blocks, quote: (text: string) => string): readonly Section[] {
  const sections: { title?: string | undefined; text: string[]; items: string[] }[] = [{ text: [], items: [] }]
  for (const block of blocks) {
    if (block?.kind === 'heading') sections.push({ title: block.text, text: [], items: [] })
    const section = sections.at(-1)
    if (block === null || block.kind === 'heading' || section === undefined) continue
    if (block.kind === 'text' || block.kind === 'note' || block.kind === 'empty')
      section.text.push(lineText(block.text, quote))
    else if (block.kind === 'figures')
      section.text.push(block.rows.map(([value, label]) => `${label}: ${quote(value)}`).join(', '))
    else section.items.push(...itemsOf(block, quote))
  }
  return sections
    .filter(({ text, items }) => text.length + items.length > 0)
    .map(({ title, text, items }) => ({ title, text: text.length === 0 ? undefined : text.join(' '), items }))
}

function itemsOf(block: Block | null, quote: (text: string) => string): readonly string[] {
  const line = (text: Line): string => lineText(text, quote)
  switch (block?.kind) {
    case 'list':
      return block.items.map((item) => `- ${line(item)}`)
    case 'empty':
    case 'text':
    case 'note':
      return [`- ${line(block.text)}`]
    case 'facts':
      return block.rows.map(([name, value]) => `- ${line(name)}: ${line(value)}`)
    case 'table':
      return block.rows.map(({ cells, depth = 0 }) => {
        const said = cells.map((cell, index) => {
          const head = block.heads[index] ?? ''
          const text = line(cell)
          return text === '' || typeof head === 'string' ? text : `${head.number.toLowerCase()} ${text}`
        })
        return `- ${'inside of that: '.repeat(Math.min(depth, 1))}${said.filter((text) => text !== '').join(', ')}`
      })
    case 'card': {
      const head = [block.head, block.name].map(line).filter((text) => text !== '')
      const facts = [block.time ?? '', ...block.facts.map(line)].filter((text) => text !== '')
      return [`- ${head.join(' ')}: ${facts.join(', ')}`, ...block.blocks.flatMap((inner) => itemsOf(inner, quote))]
    }
    case 'source':
      return [`- ${block.title}: ${quote(block.text)}${block.isCut === true ? ' (cut)' : ''}`]
    case 'value':
      return [`- ${block.title ?? 'Value'}: ${quote(JSON.stringify(block.value.value))}`]
    case 'fold':
      return [
        `- ${block.title}: ${itemsOf(block.block, quote)
          .map((item) => item.slice(2))
          .join('; ')}`,
      ]
    case 'frame':
      return itemsOf(block.source, quote)
    case 'heading':
    case 'figures':
    case undefined:
      return []
  }
}

function lineText(line: Line, quote: (text: string) => string): string {
  const parts: readonly Inline[] = Array.isArray(line) ? (line as readonly Inline[]) : [line as Inline]
  const texts = parts.map((part) => {
    if (part == null || typeof part === 'string') return part ?? ''
    if ('recorded' in part) return quote(part.recorded)
    if ('code' in part) return quote(part.code)
    if ('place' in part) return quote(part.place)
    if ('profile' in part) return part.text ?? quote(part.profile)
    if ('linked' in part) return quote(part.to === null ? part.linked : `${part.linked} ${part.to}`)
    if ('trace' in part) return quote(part.trace)
    if ('time' in part) return isoTime(part.time)
    if ('value' in part) return quote(JSON.stringify(part.value.value))
    if ('failure' in part) return `failed: ${quote(part.failure)}`
    if ('warning' in part) return quote(part.warning)
    if ('quiet' in part) return lineText(part.quiet, quote)
    if ('fold' in part) return `${part.fold}: ${part.items.map((item) => lineText(item, quote)).join('; ')}`
    return quote('mark' in part ? part.mark : part.strong)
  })
  return texts.filter((text) => text !== '').join(' ')
}
