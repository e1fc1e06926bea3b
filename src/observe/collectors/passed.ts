// Lines of the application's own code that a request went through, by what its other parts recorded anyway, with what stood there.

import { counted } from '../../base/html/components.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import type { SourceFiles } from '../../errors/source-files.ts'
import { place, table, text } from '../blocks/blocks.ts'
import type { DescribedPart } from '../blocks/described-part.ts'
import type { Profile } from '../profile.ts'
import type { BuiltInCollector } from '../request-record.ts'
import { membersOf, listOf } from '../../base/members.ts'

interface Passed {
  readonly place: string
  /** What stands there; `null` where the file has changed since it was loaded, or cannot be shown. */
  readonly source: string | null
  /** The parts that know it. */
  readonly from: readonly string[]
}

/** Parts that name lines, and what they name there. Those whose lists have no times come last. */
const sources: Readonly<Record<string, string>> = {
  router: 'defines the route',
  database: 'query',
  'http-client': 'outgoing request',
  cache: 'cache access',
  mail: 'mail',
  jobs: 'job',
  templates: 'template',
  validation: 'validation',
  ai: 'model call',
  connections: 'connection',
  access: 'access decision',
  dump: 'dump',
  exception: 'on the stack of the error',
  cpu: 'CPU sample',
}
const maxLines = 500
/** Lines that are kept with their source, and characters of one. */
const maxSources = 50
const maxLength = 160
const ownLine = /^(?!node:|node_modules\/|fanlight\/|<)\S.*:[1-9]\d*$/

export const passedPart: DescribedPart<readonly Passed[]> = {
  name: 'passed',
  title: 'Passed through',
  of: 'requests',
  noun: 'line',
  empty: 'Nothing that was recorded names a line of your own code.',
  from: linesOf,
  badge: ({ length: count }) => ({ count, tone: 'neutral', hint: counted(count, 'line') }),
  draw: (lines, { token }) => {
    const rows = lines.map((line) => {
      const from = line.from.filter((part) => Object.hasOwn(sources, part))
      const links = from.map((part) => ({ profile: token, panel: part, text: sources[part] ?? '' }))
      return [place(line.place), typeof line.source === 'string' ? { code: line.source } : null, links]
    })
    return [
      text(
        'The line of the route, and those where something was recorded, in order. Logs and your own spans name no line.',
      ),
      table('Lines', 'line', ['Line', 'Code', 'Recorded'], rows),
    ]
  },
}

/** Source by place, as it was when the file was first read. */
export function passedCollector(files: SourceFiles): BuiltInCollector<Readonly<Record<string, string>>> {
  return {
    name: passedPart.name,
    collect: (_, gathered = {}) => {
      const found = (linesOf({ data: gathered }) ?? []).slice(0, maxSources).flatMap(({ place: at }) => {
        const colon = at.lastIndexOf(':')
        const file = files.read(at.slice(0, colon))
        const text = file?.changedSince === null ? file.lines[Number(at.slice(colon + 1)) - 1]?.trim() : undefined
        return text === undefined || text === '' ? [] : [[at, cutText(text, maxLength)] as const]
      })
      return found.length === 0 ? undefined : Object.fromEntries(found)
    },
  }
}

/** Each line once, in the order in which it was first passed. */
function linesOf({ data }: Pick<Profile, 'data'>): readonly Passed[] | undefined {
  const found = Object.keys(sources).flatMap((from) =>
    itemsOf(from, data[from]).map((item) => {
      const { callSite, place: at, startMs, timeMs, ...frame } = membersOf(item)
      const own = frame['origin'] === 'own' ? `${String(frame['file'])}:${String(frame['line'])}` : null
      return { at: callSite ?? at ?? own, from, atMs: Number(startMs ?? timeMs ?? Infinity) }
    }),
  )
  const lines = new Map<string, Set<string>>()
  for (const { at, from } of found.toSorted((one, other) => one.atMs - other.atMs))
    if (typeof at === 'string' && ownLine.test(at)) lines.set(at, (lines.get(at) ?? new Set()).add(from))
  const texts = membersOf(data[passedPart.name])
  const kept = [...lines].slice(0, maxLines).map(([at, from]) => {
    return { place: at, source: Object.hasOwn(texts, at) ? String(texts[at]) : null, from: [...from] }
  })
  return kept.length === 0 ? undefined : kept
}

/** Of the root cause its frames, the outermost first; the place of the route before all else. */
function itemsOf(name: string, data: unknown): readonly unknown[] {
  if (name === 'router') return [{ place: membersOf(data).definedAt, startMs: 0 }]
  if (name === 'exception') return listOf(membersOf(listOf(membersOf(data).errors).at(-1)).frames).toReversed()
  return Object.values(Object(data)).flatMap(listOf)
}
