// `fanlight profiles export`: a profile and its sub-requests as a file that can be handed on, masked once more.

import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { packageVersion } from '../../context/package-version.ts'
import type { Engine } from '../../engines/engine.ts'
import type { Profile } from '../../profiler/profile.ts'
import { Redactor } from '../../redact/redactor.ts'
import { maskProfile, type MaskedProfile } from '../../web-profiler/export/mask-profile.ts'
import { maxFileProfiles, profileFile } from '../../web-profiler/export/profile-file.ts'
import { profileHar } from '../../web-profiler/export/profile-har.ts'
import { renderProfileHtml } from '../../web-profiler/export/profile-html.ts'
import { renderProfileMarkdown } from '../../web-profiler/export/profile-markdown.ts'
import { builtInPanels } from '../../web-profiler/panels/all.ts'
import type { Cli } from '../cli.ts'
import { CliError } from '../exit-codes.ts'
import { visibleText } from '../visible-text.ts'
import { findProfile } from './find-profile.ts'

/** Options as they were typed; `true` where no file was named. */
export interface ExportOptions {
  readonly html?: string
  readonly json?: string | true
  readonly har?: string | true
  readonly markdown?: string | true
  readonly preview?: true
  readonly force?: true
}

/** Writes the files that were asked for; to standard output where none is named. Throws a CliError. */
export async function exportProfile(cli: Cli, engine: Engine, token: string, options: ExportOptions): Promise<void> {
  const profiles = await withChildren(engine, await findProfile(engine, token))
  const redactor = new Redactor()
  const masked = profiles.map((profile) => maskProfile(profile, redactor))
  if (options.preview === true) return printPreview(cli, masked)
  const safe = masked.map(({ profile }) => profile)
  const forms = formsOf(options)
  for (const { target, render } of forms.length === 0 ? [{ target: true as const, render: asJson }] : forms) {
    const content = render(safe)
    if (target === true) cli.terminal.lines([content])
    else writeNew(cli, target, content, options.force === true)
  }
}

/** The profile, and those below it as far as the store still has them. */
async function withChildren(engine: Engine, profile: Profile): Promise<readonly Profile[]> {
  const found = new Map([[profile.token, profile]])
  for (const { childTokens } of found.values()) {
    for (const token of childTokens) {
      if (found.size === maxFileProfiles || found.has(token)) continue
      const child = await engine.profiles.read(token)
      if (child !== undefined) found.set(token, child)
    }
  }
  return [...found.values()]
}

interface Form {
  readonly target: string | true
  readonly render: (profiles: readonly Profile[]) => string
}

function formsOf({ html, json, har, markdown }: ExportOptions): readonly Form[] {
  const wanted: readonly (readonly [string | true | undefined, Form['render']])[] = [
    [html, (profiles) => renderProfileHtml(profiles, builtInPanels)],
    [json, asJson],
    [har, ([first]) => (first === undefined ? '' : JSON.stringify(profileHar(first, packageVersion()), null, 2))],
    [markdown, (profiles) => profiles.map((profile) => renderProfileMarkdown(profile)).join('\n')],
  ]
  return wanted.flatMap(([target, render]) => (target === undefined ? [] : [{ target, render }]))
}

function asJson(profiles: readonly Profile[]): string {
  return JSON.stringify(profileFile(profiles), null, 2)
}

function printPreview(cli: Cli, masked: readonly MaskedProfile[]): void {
  const places = masked.flatMap(({ profile, places: own }) => own.map((place) => `${profile.token} ${place}`))
  const newlyMasked = masked.reduce((sum, one) => sum + one.newlyMasked, 0)
  cli.terminal.lines([
    `${masked.length === 1 ? '1 profile' : `${masked.length} profiles`}; values masked: ${places.length}, of these only for the export: ${newlyMasked}`,
    ...places.map(visibleText),
  ])
}

function writeNew(cli: Cli, file: string, content: string, mayReplace: boolean): void {
  try {
    writeFileSync(resolve(cli.cwd, file), content, { flag: mayReplace ? 'w' : 'wx', mode: 0o600 })
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException
    const reason = code === 'EEXIST' ? 'is there already; --force writes over it' : `cannot be written (${code})`
    throw new CliError(`${file} ${reason}`, undefined, { cause })
  }
  cli.terminal.lines([`${file} written.`])
}
