// Makes one side of a comparison out of many profiles: of each figure the median, of each text the most frequent one.

import {
  type Figures,
  type FigureSection,
  type MissingPart,
  type ProfileFigures,
  type Texts,
  type TextSection,
} from './profile-figures.ts'

/** What most of the sides agree on. A name that most of them do not have is left out. Throws a TypeError for none at all. */
export function medianFigures(sides: readonly ProfileFigures[]): ProfileFigures {
  if (sides.length === 0) throw new TypeError('A median needs one profile at least')
  const figures = (name: FigureSection): Figures | MissingPart =>
    together(
      sides.map((side) => side.figures[name]),
      medianOf,
    )
  const texts = (name: TextSection): Texts | MissingPart =>
    together(
      sides.map((side) => side.texts[name]),
      modeOf,
    )
  return {
    figures: {
      summary: figures('summary'),
      spans: figures('spans'),
      queries: figures('queries'),
      outgoing: figures('outgoing'),
      logs: figures('logs'),
    },
    texts: {
      answer: texts('answer'),
      'request-body': texts('request-body'),
      'request-headers': texts('request-headers'),
      'response-headers': texts('response-headers'),
      configuration: texts('configuration'),
    },
  }
}

function together<Value>(
  sections: readonly (ReadonlyMap<string, Value> | MissingPart)[],
  middle: (values: readonly Value[]) => Value,
): ReadonlyMap<string, Value> | MissingPart {
  const there = sections.filter((section) => section instanceof Map) as readonly ReadonlyMap<string, Value>[]
  if (there.length === 0) return sections.find((section) => 'missing' in section) ?? { missing: 'it was not recorded' }
  const byName = new Map<string, Value[]>()
  for (const section of there) {
    for (const [name, value] of section) {
      const values = byName.get(name)
      if (values === undefined) byName.set(name, [value])
      else values.push(value)
    }
  }
  const frequent = [...byName].filter(([, values]) => values.length * 2 > there.length)
  return new Map(frequent.map(([name, values]) => [name, middle(values)]))
}

/** Measure by measure, the lower one of two in the middle: counts stay whole. */
function medianOf(rows: readonly (readonly number[])[]): readonly number[] {
  const width = rows[0]?.length ?? 0
  return Array.from({ length: width }, (_, index) => {
    const column = rows.map((row) => row[index] ?? 0).toSorted((one, other) => one - other)
    return column[(column.length - 1) >> 1] ?? 0
  })
}

function modeOf(texts: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  let most = ''
  let mostCount = 0
  for (const [text, count] of counts) {
    if (count <= mostCount) continue
    most = text
    mostCount = count
  }
  return most
}
