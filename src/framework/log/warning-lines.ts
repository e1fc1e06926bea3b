// The line for a warning of Node or of a library, given out while a request was served.

import type { LogLine } from './logger.ts'

/** Channels of such lines. */
export const warningChannels: ReadonlySet<string> = new Set(['deprecation', 'warning'])

/** `DeprecationWarning [DEP0005]: Buffer() is deprecated …`. */
export function processWarning(facts: {
  name: string
  code: string | null
  message: string
  place: string | null
}): LogLine {
  const code = facts.code === null ? '' : ` [${facts.code}]`
  return {
    level: 'warn',
    channel: facts.name === 'DeprecationWarning' ? 'deprecation' : 'warning',
    message: `{name}${code}: {warning}${facts.place === null ? '' : ' ({place})'}`,
    context: { name: facts.name, code: facts.code, warning: facts.message, place: facts.place },
  }
}
