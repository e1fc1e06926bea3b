// Finds the file and line that define a route: the first frame of the stack outside this folder.

import { fileURLToPath } from 'node:url'
import type { DefinitionPlace } from './definition-error.ts'

const ownFolder = new URL('.', import.meta.url).href

/** Keeps the stack of the caller of the routing code; reading it, which costs more, waits until somebody asks. `null`: unknown. */
export function captureDefinitionPlace(): () => DefinitionPlace | null {
  const limit = Error.stackTraceLimit
  // The adding method, what it calls, and the caller.
  Error.stackTraceLimit = 4
  const holder: { stack?: string } = {}
  Error.captureStackTrace(holder, captureDefinitionPlace)
  Error.stackTraceLimit = limit
  let place: DefinitionPlace | null | undefined
  return () => {
    place ??= readPlace(holder.stack)
    return place
  }
}

function readPlace(stack: string | undefined): DefinitionPlace | null {
  const frames = typeof stack === 'string' ? stack.split('\n').slice(1) : []
  for (const frame of frames) {
    const found = /\(?((?:file:\/\/|\/|[A-Za-z]:\\)[^()]*):(\d+):\d+\)?$/.exec(frame)
    const file = found?.[1]
    if (file === undefined || file.startsWith(ownFolder)) continue
    return { file: file.startsWith('file://') ? fileURLToPath(file) : file, line: Number(found?.[2]) }
  }
  return null
}

/** A place for people: relative to the working directory where it is inside it, `app/routes.ts:12`. */
export function placeText(place: DefinitionPlace | null): string | null {
  if (place === null) return null
  const folder = `${process.cwd()}/`
  const file = place.file.startsWith(folder) ? place.file.slice(folder.length) : place.file
  return `${file}:${place.line}`
}
