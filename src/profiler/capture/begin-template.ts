// How template engines report what they render.

import { posix } from 'node:path'
import { currentExchange } from '../../framework/kernel/current-exchange.ts'
import type { RunningActivity } from '../activities/activity.ts'
import { beginActivity } from '../activities/begin-activity.ts'
import type { TemplateFacts } from '../activities/kinds.ts'
import { deepStackFrames } from './begin-query.ts'
import { openRecording } from './owner.ts'

/** A template that is rendered. */
interface TemplateStart {
  /** `eta`, `ejs`. */
  readonly engine: string
  /** As the application names it, or the absolute path of its file; `null` if it has none. */
  readonly name: string | null
  /** Default: unknown. */
  readonly text?: string
}

/** Key on the recording: names of the templates that are being rendered. */
const runningName = 'templates'
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
  const callback = args.at(-1)
  try {
    if (typeof callback === 'function') {
      return run([...args.slice(0, -1), endingWith(callback, rendering)])
    }
    const result = run(args)
    if (result instanceof Promise) return followed(result, rendering)
    rendering.end()
    return result
  } catch (thrown) {
    rendering.fail(thrown)
    throw thrown
  }
}

function endingWith(callback: Function, rendering: Rendering): (...args: unknown[]) => unknown {
  return function called(this: unknown, ...results: unknown[]): unknown {
    const [thrown] = results
    if (thrown === null || thrown === undefined) rendering.end()
    else rendering.fail(thrown)
    return Reflect.apply(callback, this, results) as unknown
  }
}

async function followed(result: Promise<unknown>, rendering: Rendering): Promise<unknown> {
  try {
    const value = await result
    rendering.end()
    return value
  } catch (reason) {
    rendering.fail(reason)
    throw reason
  }
}

type Rendering = Pick<RunningActivity<TemplateFacts>, 'end' | 'fail'>

function beginTemplate(template: () => TemplateStart): Rendering | undefined {
  const recording = openRecording(currentExchange())
  if (recording === undefined) return undefined
  // Only this function keeps something under the name.
  const known = recording.kept(runningName) as string[] | undefined
  const running = known ?? []
  if (known === undefined) recording.keep(runningName, running)
  let shown = ''
  const activity = beginActivity('templates', () => {
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
