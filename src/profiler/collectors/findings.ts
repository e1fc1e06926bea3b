// What was found behind a response that looks fine, with the places and profiles that prove it.

import { heading, note, place, recorded, type Block } from '../blocks/blocks.ts'
import type { DescribedPart } from '../blocks/described-part.ts'
import { findings, type Found } from '../profile.ts'
import type { BuiltInCollector } from '../request-record.ts'

type FindingsData = { readonly findings: readonly Found[] }

export const findingsCollector: BuiltInCollector<FindingsData> = {
  name: 'findings',
  collect: ({ parts: { found } }) => found && { findings: found },
}

export const findingsPart: DescribedPart<FindingsData> = {
  name: 'findings',
  title: 'Findings',
  hidesWhenEmpty: true,
  empty: 'Nothing was found.',
  badge: ({ findings: { length: count } }) => ({ count, tone: 'warning' }),
  draw: (data) =>
    data.findings.flatMap(({ kind, text, parts }): readonly (Block | null)[] => [
      // A profile of another version may have others.
      heading(
        (Object.hasOwn(findings, kind) ? findings[kind][0] : 'finding').replace(/^./, (letter) => letter.toUpperCase()),
      ),
      note({ recorded: text }),
      {
        kind: 'list',
        items: parts.map((part) => [recorded(part.text), place(part.place), part.token && { profile: part.token }]),
      },
    ]),
}
