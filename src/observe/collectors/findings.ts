// What was found behind a response that looks fine, with the places and profiles that prove it.

import type { Redactor } from '../../base/redact/redactor.ts'
import { heading, note, place, recorded, type Block } from '../blocks/blocks.ts'
import type { DescribedPart } from '../blocks/described-part.ts'
import { httpClientData, type OutgoingRequest } from '../outgoing/http-client-data.ts'
import { findings, type Found } from '../profile.ts'
import type { BuiltInCollector } from '../request-record.ts'
import { membersOf } from '../../base/members.ts'

type FindingsData = { readonly findings: readonly Found[] }

export function findingsCollector(redactor: Redactor): BuiltInCollector<FindingsData> {
  return {
    name: 'findings',
    collect: ({ parts: { found = [], outgoing } }) => {
      const hasBodies = outgoing?.calls.some(({ responseBody }) => responseBody !== undefined) === true
      const calls = hasBodies ? httpClientData(outgoing, redactor).calls.filter(tellsOfErrors) : []
      const parts = calls.map(({ method, url, callSite }) => ({
        text: `${method} ${url}`,
        place: callSite,
        token: null,
      }))
      const text = 'A service responded with 200 and a body that tells of errors.'
      const all: readonly Found[] = parts.length === 0 ? found : [...found, { kind: 'errors_in_200', text, parts }]
      return all.length === 0 ? undefined : { findings: all }
    },
  }
}

/** GraphQL has a list of `errors`, others an `error`. Nothing is said of an empty one. */
function tellsOfErrors({ status, responseBody }: OutgoingRequest): boolean {
  if (status !== 200 || responseBody?.isWhole !== true || !/[/+]json$/.test(responseBody.mediaType)) return false
  try {
    const { errors, error } = membersOf(JSON.parse(responseBody.text ?? ''))
    return [errors, error].some((value) => Object.keys(Object(value)).length > 0)
  } catch {
    return false
  }
}

export const findingsPart: DescribedPart<FindingsData> = {
  name: 'findings',
  title: 'Findings',
  hidesWhenEmpty: true,
  empty: 'Nothing was found.',
  badge: ({ findings: { length: count } }) => ({ count, tone: 'warning' }),
  draw: (data) =>
    data.findings.flatMap(({ kind, text, parts }): readonly (Block | null)[] => [
      heading(findings[kind][0].replace(/^./, (letter) => letter.toUpperCase())),
      note({ recorded: text }),
      {
        kind: 'list',
        items: parts.map((part) => [recorded(part.text), place(part.place), part.token && { profile: part.token }]),
      },
    ]),
}
