// The templates that were rendered.

import { isAbsolute } from 'node:path'
import { frameFile } from '../../errors/frame-file.ts'
import type { Redactor } from '../../framework/redact/redactor.ts'
import type { Activities } from '../activities/activity.ts'
import { activityCollector } from '../activities/collector.ts'
import type { TemplateFacts } from '../activities/kinds.ts'
import type { BuiltInCollector } from '../request-record.ts'

export type TemplatesData = Activities<TemplateFacts>

/** `projectRoot` is absolute: files are named relative to it. */
export function templatesCollector(redactor: Redactor, projectRoot: string): BuiltInCollector<TemplatesData> {
  const shown = (name: string): string => redactor.text(isAbsolute(name) ? frameFile(name, projectRoot).file : name)
  return activityCollector('templates', redactor, (facts) => ({
    ...facts,
    name: facts.name === null ? null : shown(facts.name),
    text: facts.text === null ? null : redactor.text(facts.text),
  }))
}
