// Lines of the application's own code that a request went through, by what its other parts recorded anyway.

import { counted } from '../../base/html/components.ts'
import { place, recorded, table } from '../blocks/blocks.ts'
import type { DescribedPart } from '../blocks/described-part.ts'
import type { Profile } from '../profile.ts'

interface Passed {
  readonly place: string
  /** The parts that know it. */
  readonly from: readonly string[]
}

/** Parts whose lists name lines. Those without times come last. */
const sources = 'database http-client cache mail jobs templates validation ai connections access dump exception cpu'
const maxLines = 500
const ownLine = /^(?!node:|node_modules\/|fanlight\/|<)\S.*:[1-9]\d*$/

export const passedPart: DescribedPart<readonly Passed[]> = {
  name: 'passed',
  title: 'Passed through',
  of: 'requests',
  noun: 'line',
  empty: 'Nothing that was recorded names a line of your own code.',
  from: linesOf,
  badge: ({ length: count }) => ({ count, tone: 'neutral', hint: counted(count, 'line') }),
  draw: (lines) => {
    const rows = lines.map((line) => [place(line.place), recorded(line.from.join(', '))])
    return [table('Lines', 'line', ['Line, as first passed', 'Known from'], rows)]
  },
}

/** Each line once, in the order in which it was first passed. */
function linesOf({ data }: Profile): readonly Passed[] | undefined {
  const { definedAt } = Object(data['router']) as { readonly definedAt?: unknown }
  const found = sources.split(' ').flatMap((from) =>
    itemsOf(from, data[from]).map((item) => {
      const { callSite, place: at, startMs, timeMs, ...frame } = Object(item) as Readonly<Record<string, unknown>>
      const own = frame['origin'] === 'own' ? `${String(frame['file'])}:${String(frame['line'])}` : null
      return { at: callSite ?? at ?? own, from, atMs: Number(startMs ?? timeMs ?? Infinity) }
    }),
  )
  const lines = new Map<string, Set<string>>()
  const all = [{ at: definedAt, from: 'router', atMs: 0 }, ...found].toSorted((one, other) => one.atMs - other.atMs)
  for (const { at, from } of all)
    if (typeof at === 'string' && ownLine.test(at)) lines.set(at, (lines.get(at) ?? new Set()).add(from))
  const kept = [...lines].slice(0, maxLines).map(([at, from]) => ({ place: at, from: [...from] }))
  return kept.length === 0 ? undefined : kept
}

/** Of the root cause its frames, the outermost first. */
function itemsOf(name: string, data: unknown): readonly unknown[] {
  const { errors } = Object(data) as { readonly errors?: readonly { readonly frames?: readonly unknown[] }[] }
  if (name === 'exception') return errors?.at(-1)?.frames?.toReversed() ?? []
  return Object.values(Object(data) as object).flatMap((list: unknown) =>
    Array.isArray(list) ? (list as unknown[]) : [],
  )
}
