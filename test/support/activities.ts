// What a profile says of one kind of activity: of a request that did some work, and as its panel draws it.

import { activityPart } from '../../src/capture/parts.ts'
import type { Activities, ActivityKind } from '../../src/observe/activities/activity.ts'
import type { Profile } from '../../src/observe/profile.ts'
import type { Panel } from '../../src/pages/panel.ts'
import { describedPanel } from '../../src/analysis/pages/panels.ts'
import { profileOf, startWorking, type Work } from './captured.ts'
import { pageText } from './page-text.ts'
import type { RunningAppOptions } from './running-app.ts'

export interface RecordedActivities<Data extends Activities<object>> {
  /** `undefined` where the profile says nothing of the kind. */
  readonly data: Data | undefined
  readonly entries: Data['entries']
  readonly profile: Profile
}

export interface ActivityTools<Data extends Activities<object>> {
  readonly panel: Panel<Data>
  /** Serves one request that does `work`. A test fails by what that throws, of which an application would make an error response. */
  recorded(work: Work, options?: RunningAppOptions): Promise<RecordedActivities<Data>>
  /** The text of the panel. `view`: what it asks for beside the data. */
  drawn(data: Data | undefined, view?: object): string
}

export function activityTools<Facts extends object, Data extends Activities<Facts>>(
  kind: ActivityKind<Facts, Data>,
): ActivityTools<Data> {
  const panel = describedPanel(activityPart(kind))
  return {
    panel,
    async recorded(work, options = {}) {
      const failures: unknown[] = []
      await using app = await startWorking(async (exchange) => {
        try {
          await work(exchange)
        } catch (thrown) {
          failures.push(thrown)
        }
      }, options)
      const profile = await profileOf(app)
      if (failures.length > 0) throw failures[0]
      // Only the collector keeps something under the name.
      const data = profile.data[kind.name] as Data | undefined
      return { data, entries: data?.entries ?? [], profile }
    },
    drawn: (data, view = {}) => pageText(String(panel.render(data, view as never))),
  }
}
