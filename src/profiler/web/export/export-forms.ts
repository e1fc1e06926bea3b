// The forms in which a profile leaves the machine. Masking it once more is the caller's.

import { packageVersion } from '../../../framework/config/own-package.ts'
import type { Profile } from '../../profile.ts'
import type { Panel } from '../panel.ts'
import { profileFile } from './profile-file.ts'
import { profileHar } from './profile-har.ts'
import { renderProfileHtml } from './profile-html.ts'
import { renderProfileMarkdown } from './profile-markdown.ts'

/** Names of the forms, as options and addresses have them. */
export type ExportForm = 'html' | 'json' | 'har' | 'markdown'

/** How a form is made, and what the file is. */
export interface ExportFormat {
  /** For people. */
  readonly label: string
  /** Of the file's name: `html`. */
  readonly ending: string
  readonly contentType: string
  /** Takes a profile and what belongs to it. */
  readonly render: (profiles: readonly [Profile, ...Profile[]], panels: readonly Panel[]) => string
}

/** All of them. */
export const exportFormats: Readonly<Record<ExportForm, ExportFormat>> = {
  html: {
    label: 'One page that opens offline and can be imported',
    ending: 'html',
    contentType: 'text/html; charset=utf-8',
    render: renderProfileHtml,
  },
  json: {
    label: 'JSON that can be imported',
    ending: 'json',
    contentType: 'application/json; charset=utf-8',
    render: (profiles) => JSON.stringify(profileFile(profiles), null, 2),
  },
  har: {
    label: 'HTTP Archive, for tools that read such; the request alone',
    ending: 'har',
    contentType: 'application/json; charset=utf-8',
    render: ([first]) => JSON.stringify(profileHar(first, packageVersion()), null, 2),
  },
  markdown: {
    label: 'Markdown, for tickets and chats',
    ending: 'md',
    contentType: 'text/markdown; charset=utf-8',
    render: (profiles) => profiles.map((profile) => renderProfileMarkdown(profile)).join('\n'),
  },
}

/** The form of a name, or `undefined`. */
export function exportFormOf(name: string): ExportForm | undefined {
  return Object.keys(exportFormats).find((form): form is ExportForm => form === name)
}
