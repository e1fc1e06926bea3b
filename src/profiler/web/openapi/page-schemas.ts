// Schemas of the JSON of pages: lists, groups, issues, exports, help.

import type { ExportJson } from '../export/export-page.ts'
import type { GroupsJson } from '../groups/groups-page.ts'
import type { Issue, IssuePlace } from '../../issues/issues.ts'
import type { HelpEntry, HelpJson, HelpSection } from '../help-page.ts'
import type { IssuesJson } from '../issues/issues-page.ts'
import type { ListJson } from '../list-page.ts'
import type { AskedJson, ErrorJson } from '../profiler-page.ts'
import {
  instant,
  missingParts,
  nullableText,
  profileGroup,
  profileSummary,
  sentences,
  storeStats,
  token,
} from './profiles.ts'
import {
  boolean,
  integer,
  list,
  named,
  nullable,
  object,
  oneOf,
  optional,
  text,
  type Members,
  type Schema,
} from './schema.ts'

export const errorMembers: Members<ErrorJson> = {
  error: text(),
  missing: optional(missingParts),
  ignored: optional(sentences),
}

export const errorJson: Schema<ErrorJson> = named(
  'Error',
  'Why the page cannot show what was asked for, in one sentence.',
  object<ErrorJson>(errorMembers),
)

/** What cannot be used (the status is 400 then), and what was ignored. */
export const asked: Members<AskedJson> = { problems: sentences, ignored: sentences }

export const profileList: Schema<ListJson> = named(
  'ProfileList',
  'A page of the list. `next` is the value of `after` for the next page.',
  object<ListJson>({
    items: list(profileSummary),
    next: nullableText,
    newest: text(),
    searchedNewest: optional(integer()),
    matched: optional(integer()),
    missing: optional(missingParts),
    stats: storeStats,
    ...asked,
  }),
)

export const groups: Schema<GroupsJson> = named(
  'ProfileGroups',
  'Profiles, counted by what they have in common.',
  object<GroupsJson>({
    by: oneOf('route', 'error', 'version'),
    groups: list(profileGroup),
    count: integer(),
    isCut: boolean(),
    omitted: integer(),
    missing: optional(missingParts),
    sort: oneOf('count', 'errors', 'p50', 'p95', 'p99', 'longest', 'own-code', 'queries', 'last'),
    ...asked,
  }),
)

const issue: Schema<Issue> = named(
  'Issue',
  'Errors of one origin over the versions of a service.',
  object<Issue>({
    service: nullableText,
    name: text(),
    state: oneOf('open', 'fixed', 'regressed'),
    count: integer(),
    firstTime: instant,
    lastTime: instant,
    lastToken: token,
    lastMessage: nullableText,
    families: sentences,
    places: list(
      object<IssuePlace>({
        route: nullableText,
        command: nullableText,
        runType: optional(oneOf('job', 'task')),
        isBrowser: boolean(),
      }),
    ),
    firstVersion: nullableText,
    lastVersion: nullableText,
    without: nullable(object<NonNullable<Issue['without']>>({ version: text(), requests: integer() })),
    lastWell: nullable(instant),
  }),
)

export const issues: Schema<IssuesJson> = named(
  'Issues',
  'Errors over the versions of the application: regressed ones first, then open, then fixed ones.',
  object<IssuesJson>({
    issues: list(issue),
    omitted: integer(),
    count: integer(),
    isCut: boolean(),
    missing: optional(missingParts),
    ...asked,
  }),
)

const address = text({ format: 'uri-reference' })

export const exported: Schema<ExportJson> = named(
  'ExportPreview',
  'What is masked in a profile, and the addresses of the files to save.',
  object<ExportJson>({
    token,
    profiles: integer(),
    places: sentences,
    newlyMasked: integer(),
    files: object<ExportJson['files']>({
      html: address,
      json: address,
      har: address,
      otlp: address,
      markdown: address,
    }),
    problem: nullableText,
    ignored: sentences,
  }),
)

export const help: Schema<HelpJson> = named(
  'Help',
  'What there is: pages, filters, keys, commands.',
  object<HelpJson>({
    sections: list(
      object<HelpSection>({
        title: text(),
        text: optional(text()),
        entries: list(
          object<HelpEntry>({
            kind: oneOf('link', 'key', 'code'),
            name: text(),
            text: text(),
            path: optional(text()),
          }),
        ),
      }),
    ),
  }),
)
