// The templates that were rendered.

import { isAbsolute } from 'node:path'
import { frameFile } from '../../errors/frame-file.ts'
import type { Activities } from '../activities/activity.ts'
import { activityCollector } from '../activities/collector.ts'
import type { TemplateFacts } from '../activities/kinds.ts'
import type { BuiltInCollector } from '../request-record.ts'

export type TemplatesData = Activities<TemplateFacts>

/** `projectRoot` is absolute: files are named relative to it. */
export function templatesCollector(projectRoot: string): BuiltInCollector<TemplatesData> {
  return activityCollector('templates', ({ name }) => ({
    name: name !== null && isAbsolute(name) ? frameFile(name, projectRoot).file : name,
  }))
}
