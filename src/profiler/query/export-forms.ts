// The file formats a profile can be exported to.

import { packageVersion } from '../../framework/config/own-package.ts'
import type { Profile } from '../profile.ts'
import { profileFile } from './profile-file.ts'
import { profileHar } from './profile-har.ts'
import { renderProfileMarkdown } from './profile-markdown.ts'

/** Names of the formats, as used in options and addresses. */
export type ExportForm = 'html' | 'json' | 'har' | 'markdown'

/** A file format. */
interface ExportFormat {
  /** Shown to people. */
  readonly label: string
  /** File extension: `html`. */
  readonly ending: string
  readonly contentType: string
}

export const exportFormats: Readonly<Record<ExportForm, ExportFormat>> = {
  html: {
    label: 'Single page; opens offline, can be imported',
    ending: 'html',
    contentType: 'text/html; charset=utf-8',
  },
  json: { label: 'JSON; can be imported', ending: 'json', contentType: 'application/json; charset=utf-8' },
  har: { label: 'HAR (request only)', ending: 'har', contentType: 'application/json; charset=utf-8' },
  markdown: { label: 'Markdown for tickets and chats', ending: 'md', contentType: 'text/markdown; charset=utf-8' },
}

/** The format of that name, or `undefined`. */
export function exportFormOf(name: string): ExportForm | undefined {
  return Object.keys(exportFormats).find((form): form is ExportForm => form === name)
}

/** A profile, then its sub-requests. */
type ExportedProfiles = readonly [Profile, ...Profile[]]

/** The content of the file. Expects masked profiles. `drawPage` makes the HTML. */
export function renderExport(
  form: ExportForm,
  profiles: ExportedProfiles,
  drawPage: (profiles: ExportedProfiles) => string,
): string {
  switch (form) {
    case 'html':
      return drawPage(profiles)
    case 'json':
      return JSON.stringify(profileFile(profiles), null, 2)
    case 'har':
      return JSON.stringify(profileHar(profiles[0], packageVersion()), null, 2)
    case 'markdown':
      return profiles.map((profile) => renderProfileMarkdown(profile)).join('\n')
  }
}
