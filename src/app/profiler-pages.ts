// The pages of the profiler with their panels: what the first request for one of them loads.

import type { EditorLink } from '../errors/page/frame-item.ts'
import { builtInPanels, createBuiltInPanels } from '../profiler/web/panels/all.ts'
import type { Profile } from '../profiler/profile.ts'
import { renderProfileHtml } from '../profiler/web/export/profile-html.ts'
import type { Panel } from '../profiler/web/panel.ts'
import { ProfilerController } from '../profiler/web/profiler-controller.ts'
import type { ProfilerControllerOptions } from '../profiler/web/profiler-page.ts'

/** Makes them. The application's own panels come after the built-in ones. */
export function makeProfilerPages(
  parts: Omit<ProfilerControllerOptions, 'panels' | 'editor'>,
  own: readonly Panel[],
  editor: EditorLink | undefined,
): ProfilerController {
  return new ProfilerController({ ...parts, editor, panels: [...createBuiltInPanels({ editor }), ...own] })
}

/** Profiles as one HTML page that opens offline, for exports from the command line. */
export function exportedPage(profiles: readonly Profile[]): string {
  return renderProfileHtml(profiles, builtInPanels)
}
