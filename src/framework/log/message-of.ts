// Reads what a logger was given in the manner of `console.log`.

import { format } from 'node:util'
import type { LogEntry } from './logger.ts'

const placeholder = /%[sdifjoOc%]/g

/**
 * Message and context of what was given to a logger in the manner of `console.log`. Objects go to the context, where secrets are masked by
 * their names; the message has a placeholder in their place.
 */
export function messageOf(args: readonly unknown[]): Pick<LogEntry, 'message' | 'context'> {
  const context: Record<string, unknown> = {}
  const shown = (value: unknown, how: string): string => {
    if (typeof value !== 'object' || value === null) return format(how, value)
    const name = `value${Object.keys(context).length + 1}`
    context[name] = value
    return `{${name}}`
  }
  const rest = [...args]
  const first = typeof rest[0] === 'string' ? rest.shift() : ''
  const text = String(first).replace(placeholder, (how) => {
    if (how === '%%' || rest.length === 0) return how === '%%' && args.length > 1 ? '%' : how
    const value = rest.shift()
    return how === '%c' ? '' : shown(value, how)
  })
  const others = rest.map((value) => (typeof value === 'string' ? value : shown(value, '%o')))
  return { message: [text, ...others].filter((part) => part !== '').join(' '), context }
}
