// The parts of a profile that are described once. What is added here has its panel, and its forms as Markdown and for agents.

import { libraryParts } from '../capture/parts.ts'
import type { DescribedPart } from '../observe/blocks/described-part.ts'
import { httpClientPart } from '../observe/outgoing/http-client-data.ts'
import { browserPart } from '../observe/browser/browser-data.ts'
import { commandPart } from '../observe/collectors/command.ts'
import { configPart } from '../observe/collectors/config.ts'
import { dumpPart } from '../observe/collectors/dump.ts'
import { eventsPart } from '../observe/collectors/events.ts'
import { findingsPart } from '../observe/collectors/findings.ts'
import { jobPart } from '../observe/collectors/job.ts'
import { passedPart } from '../observe/collectors/passed.ts'
import { routerPart } from '../observe/collectors/router.ts'
import { sessionPart } from '../observe/collectors/session.ts'
import { taskPart } from '../observe/collectors/task.ts'
import { codePart } from '../ran/code-part.ts'
import { cpuPart, memoryPart } from '../profiles/measured-parts.ts'
import { notesPart } from '../profiles/profile-facts.ts'

/** By name. Each gets only what its own collector wrote. */
export const describedParts: ReadonlyMap<string, DescribedPart> = new Map(
  [
    ...libraryParts,
    browserPart,
    codePart,
    commandPart,
    configPart,
    cpuPart,
    dumpPart,
    eventsPart,
    findingsPart,
    httpClientPart,
    jobPart,
    memoryPart,
    passedPart,
    notesPart,
    routerPart,
    sessionPart,
    taskPart,
  ].map((part: DescribedPart) => [part.name, part]),
)
