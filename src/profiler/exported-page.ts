// Profiles as one HTML page that opens offline, for exports from the command line.

import type { Profile } from './profile.ts'
import { renderProfileHtml } from './web/export/profile-html.ts'
import { builtInPanels } from './web/panels/all.ts'

/** The page, whole. */
export function exportedPage(profiles: readonly Profile[]): string {
  return renderProfileHtml(profiles, builtInPanels)
}
