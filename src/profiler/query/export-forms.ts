// The file formats a profile can be exported to.

import { packageVersion } from '../../framework/config/own-package.ts'
import { statusText } from '../../framework/http/status-text.ts'
import { traceRequest } from '../otlp/trace-request.ts'
import type { Profile } from '../profile.ts'
import { profileFile } from './profile-file.ts'
import { renderProfileMarkdown } from './profile-markdown.ts'

export type ExportForm = 'html' | 'json' | 'har' | 'markdown' | 'otlp'

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
  har: { label: 'HAR (request only)', ending: 'har', contentType: 'application/json; charset=utf-8' },
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
    case 'har':
      return JSON.stringify(profileHar(profiles[0], packageVersion()), null, 2)
    case 'otlp':
      return JSON.stringify(traceRequest(profiles), null, 2)
    case 'markdown':
      return profiles.map((profile) => renderProfileMarkdown(profile)).join('\n')
  }
}

/** HTTP Archive 1.2. */
export function profileHar(profile: Profile, creatorVersion: string): object {
  const { data, method, url, status, durationMs } = profile
  const request = recordOf(data['request'])
  const responseHeaders = pairs(request['responseHeaders'])
  const field = (name: string): string =>
    responseHeaders.find((header) => header.name.toLowerCase() === name)?.value ?? ''
  const bytes = typeof request['bytes'] === 'number' ? request['bytes'] : -1
  return {
    log: {
      version: '1.2',
      creator: { name: 'fanlight', version: creatorVersion },
      entries: [
        {
          startedDateTime: new Date(profile.time).toISOString(),
          time: durationMs,
          request: {
            method,
            url,
            httpVersion: 'HTTP/1.1',
            cookies: pairs(request['cookies']),
            headers: pairs(request['headers']),
            queryString: pairs(request['query']),
            headersSize: -1,
            bodySize: -1,
          },
          response: {
            status,
            statusText: status === 0 ? '' : statusText(status),
            httpVersion: 'HTTP/1.1',
            cookies: [],
            headers: responseHeaders,
            content: { size: bytes, mimeType: field('content-type') },
            redirectURL: field('location'),
            headersSize: -1,
            bodySize: bytes,
          },
          cache: {},
          timings: { send: 0, wait: durationMs, receive: 0 },
        },
      ],
    },
  }
}

function recordOf(data: unknown): Readonly<Record<string, unknown>> {
  return (data ?? {}) as Readonly<Record<string, unknown>>
}

function pairs(fields: unknown): { readonly name: string; readonly value: string }[] {
  if (!Array.isArray(fields)) return []
  return fields.flatMap((field: unknown) => {
    if (!Array.isArray(field)) return []
    const [name, value] = field as unknown[]
    return typeof name === 'string' && typeof value === 'string' ? [{ name, value }] : []
  })
}
