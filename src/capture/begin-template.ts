// How template engines report what they render.

import { posix } from 'node:path'
import { currentExchange } from '../http/kernel/current-exchange.ts'
import { beginActivity } from '../observe/activities/begin-activity.ts'
import { templates } from './activities/templates.ts'
import { deepStackFrames } from './begin-query.ts'
import { followCall, followCallback } from '../http/kernel/follow-call.ts'
import { openRecording } from '../observe/owner.ts'
import { isCallback } from '../observe/tracing-source.ts'
import type { KeptName } from '../http/recording/recording.ts'

interface TemplateStart {
  /** `eta`, `ejs`. */
  readonly engine: string
  /** As the application names it, or the absolute path of its file; `null` if it has none. */
  readonly name: string | null
  /** Default: unknown. */
  readonly text?: string
}

/** Names of the templates that are being rendered. */
const runningName: KeptName<string[]> = 'templates'
const maxNameLength = 500
const maxTextLength = 60

/** Renders, and reports it in the request that is running. `args` may end with a callback. Results and errors pass through unchanged. */
export function renderObserved(
  template: () => TemplateStart,
  args: readonly unknown[],
  run: (args: readonly unknown[]) => unknown,
): unknown {
  const rendering = beginTemplate(template)
  if (rendering === undefined) return run(args)
  const { end, fail } = rendering
  const callback = args.at(-1)
  return isCallback(callback)
    ? followCallback(callback, (followed) => run([...args.slice(0, -1), followed]), end, fail)
    : followCall(() => run(args), end, fail)
}

interface Rendering {
  readonly end: () => void
  readonly fail: (thrown: unknown) => void
}

function beginTemplate(template: () => TemplateStart): Rendering | undefined {
  const recording = openRecording(currentExchange())
  if (recording === undefined) return undefined
  const running = recording.keptOr(runningName, (): string[] => [])
  let shown = ''
  const activity = beginActivity(templates, () => {
    const { engine, name, text } = template()
    shown = name?.slice(0, maxNameLength) ?? ''
    const isInside = running.length > 0
    // What a framework is asked for, its engine renders.
    if (running.some((outer) => isSameTemplate(outer, shown))) return undefined
    const short = text === undefined ? null : text.replaceAll(/\s+/g, ' ').trim().slice(0, maxTextLength)
    return {
      facts: { engine, name: shown === '' ? null : shown, text: shown === '' ? short : null },
      // Others are called by the template around them.
      site: isInside ? null : deepStackFrames,
      ...(isInside ? {} : { span: { name: `${engine} ${posix.basename(shown)}`.trim(), category: 'template' } }),
    }
  })
  if (activity === undefined) return undefined
  running.push(shown)
  const over = (end: () => void): void => {
    end()
    const index = running.lastIndexOf(shown)
    if (index >= 0) running.splice(index, 1)
  }
  return { end: () => over(() => activity.end()), fail: (thrown) => over(() => activity.fail(thrown)) }
}

/** `home` and `/srv/views/home.ejs`. */
function isSameTemplate(asked: string, rendered: string): boolean {
  if (asked === '' || asked === rendered) return false
  const path = withoutExtension(rendered)
  return path.endsWith(`/${withoutExtension(asked)}`)
}

function withoutExtension(path: string): string {
  return path.replaceAll('\\', '/').replace(/\.[^./]*$/, '')
}
