// The file formats a profile can be exported to.

import { traceRequest } from '../../otel/otlp/trace-request.ts'
import type { Profile } from '../../observe/profile.ts'
import { profileFile } from './profile-file.ts'
import { renderProfileMarkdown } from './profile-markdown.ts'

export type ExportForm = 'html' | 'json' | 'markdown' | 'otlp'

interface ExportFormat {
  /** Shown to people. */
  readonly label: string
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
  otlp: {
    label: 'Trace of OpenTelemetry (OTLP)',
    ending: 'otlp.json',
    contentType: 'application/json; charset=utf-8',
  },
  markdown: { label: 'Markdown for tickets and chats', ending: 'md', contentType: 'text/markdown; charset=utf-8' },
}

export function exportFormOf(name: string): ExportForm | undefined {
  return Object.keys(exportFormats).find((form): form is ExportForm => form === name)
}

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
    case 'otlp':
      return JSON.stringify(traceRequest(profiles), null, 2)
    case 'markdown':
      return profiles.map((profile) => renderProfileMarkdown(profile)).join('\n')
  }
}
