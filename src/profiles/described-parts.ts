// The parts of a profile that are described once. What is added here has its panel, and its forms as Markdown and for agents.

import { activityPart } from '../observe/activities/activity-kind.ts'
import { activityKinds } from '../observe/activities/all.ts'
import type { DescribedPart } from '../observe/blocks/described-part.ts'
import { httpClientPart } from '../observe/outgoing/http-client-data.ts'
import { browserPart } from '../observe/browser/browser-data.ts'
import { commandPart } from '../observe/collectors/command.ts'
import { configPart } from '../observe/collectors/config.ts'
import { dumpPart } from '../observe/collectors/dump.ts'
import { eventsPart } from '../observe/collectors/events.ts'
import { findingsPart } from '../observe/collectors/findings.ts'
import { graphqlPart } from '../observe/collectors/graphql.ts'
import { jobPart } from '../observe/collectors/job.ts'
import { passedPart } from '../observe/collectors/passed.ts'
import { routerPart } from '../observe/collectors/router.ts'
import { sessionPart } from '../observe/collectors/session.ts'
import { taskPart } from '../observe/collectors/task.ts'
import { codePart } from '../ran/code-part.ts'
import type { Profile } from '../observe/profile.ts'
import { toSections, type Section } from '../observe/blocks/sections.ts'
import { note } from '../observe/blocks/blocks.ts'
import { cpuPart, memoryPart } from './measured-parts.ts'
import { notesOf } from './stored-data.ts'

/** What is missing, and why: on each page of a profile, without a panel. */
export const notesPart: DescribedPart = {
  name: 'notes',
  title: 'Notes',
  empty: 'Nothing is missing.',
  draw: (notes) =>
    notesOf({ data: { notes } }).map(({ source, message }) => {
      const subject = source === 'recording' ? '' : `${source.charAt(0).toUpperCase()}${source.slice(1)} `
      return note({ recorded: subject + message })
    }),
}

/** By name. Each gets only what its own collector wrote. */
export const describedParts: ReadonlyMap<string, DescribedPart> = new Map(
  [
    ...activityKinds.map(activityPart),
    browserPart,
    codePart,
    commandPart,
    configPart,
    cpuPart,
    dumpPart,
    eventsPart,
    findingsPart,
    graphqlPart,
    httpClientPart,
    jobPart,
    memoryPart,
    passedPart,
    notesPart,
    routerPart,
    sessionPart,
    taskPart,
  ].map((part) => [part.name, part]),
)

/** What a profile has of one part, as Markdown. `undefined` for other names, and for data in a form that is not known. */
export function partSections(
  profile: Profile,
  name: string,
  quote: (text: string) => string,
): readonly Section[] | undefined {
  try {
    const part = describedParts.get(name)
    const data = part?.from?.(profile) ?? profile.data[name]
    const blocks = part?.brief?.(data, profile) ?? part?.draw(data, profile)
    return blocks && toSections(blocks, quote)
  } catch {
    return undefined
  }
}
