// `fanlight profiles export` and `import`: files that move profiles between machines.

import { countOf } from '../../base/html/page-budget.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import { Redactor } from '../../base/redact/redactor.ts'
import { toProfile } from '../../profiles/assemble-profile.ts'
import { maxProfileBytes, partOf } from '../../observe/profile-parts.ts'
import { isProfileRefusedError } from '../../profiles/profile-store.ts'
import type { Profile } from '../../observe/profile.ts'
import { type ExportForm, renderExport, type MaskedProfile, maskProfile } from '../../analysis/export/export-forms.ts'
import { ProfileFileError, maxFileBytes, readFamily, readProfileFile } from '../../analysis/export/profile-file.ts'
import { notesOf } from '../../profiles/stored-data.ts'
import type { Engine } from '../../stores/engine.ts'
import type { Cli } from '../cli.ts'
import { CliError, exitCodes, writeNew } from '../command.ts'
import { visibleLine } from '../../base/markdown-text.ts'
import { findProfile } from './profiles-read.ts'
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { membersOf } from '../../base/members.ts'

/** Options as they were typed; `true` if no file was named. */
export interface ExportOptions {
  readonly html?: string
  readonly json?: string | true
  readonly markdown?: string | true
  readonly otlp?: string | true
  readonly preview?: true
  readonly force?: true
}

/** Writes the files that were asked for; to standard output where none is named. Throws a CliError. */
export async function exportProfile(cli: Cli, engine: Engine, token: string, options: ExportOptions): Promise<void> {
  const [first, ...rest] = await readFamily(engine.profiles, await findProfile(cli, engine, token))
  const redactor = new Redactor()
  const masked = [maskProfile(first, redactor), ...rest.map((profile) => maskProfile(profile, redactor))] as const
  if (options.preview === true) return printPreview(cli, masked)
  const [safe, ...safeRest] = masked
  const { renderProfileHtml } = await import('../../analysis/pages/export/profile-html.ts')
  const { builtInPanels } = await import('../../analysis/pages/panels.ts')
  const profiles = [safe.profile, ...safeRest.map(({ profile }) => profile)] as const
  for (const { target, form } of wantedFiles(options)) {
    const content = renderExport(form, profiles, (all) => renderProfileHtml(all, builtInPanels))
    if (target === true) cli.terminal.lines([content])
    else writeNew(cli, { file: target, content, mayReplace: options.force === true, mode: 0o600 })
  }
}

interface WantedFile {
  readonly target: string | true
  readonly form: ExportForm
}

function wantedFiles(options: ExportOptions): readonly WantedFile[] {
  const wanted = (['html', 'otlp', 'json', 'markdown'] as const).flatMap((form) => {
    const target = options[form]
    return target === undefined ? [] : [{ target, form }]
  })
  return wanted.length === 0 ? [{ target: true, form: 'json' }] : wanted
}

function printPreview(cli: Cli, masked: readonly MaskedProfile[]): void {
  const places = masked.flatMap(({ profile, places: own }) => own.map((place) => `${profile.token} ${place}`))
  const newlyMasked = masked.reduce((sum, one) => sum + one.newlyMasked, 0)
  cli.terminal.lines([
    `${countOf(masked.length, 'profile')}; values masked: ${places.length}, of these only for the export: ${newlyMasked}`,
    ...places.map(visibleLine),
  ])
}

/** Writes all profiles of a file, or none. Throws a CliError that names the file and what is wrong with it. */
export async function importProfiles(
  cli: Cli,
  engine: Engine,
  file: string,
  options: { readonly json?: true },
): Promise<void> {
  const profiles = readProfiles(cli, file)
  try {
    await engine.profiles.write(profiles)
  } catch (cause) {
    if (!isProfileRefusedError(cause)) throw cause
    throw new CliError(`${file} was not imported: ${cause.message}`, exitCodes.failed, { cause })
  }
  const tokens = profiles.map(({ token }) => token)
  const kept = await Promise.all(tokens.map(async (token) => (await engine.profiles.read(token)) !== undefined))
  if (!kept.every(Boolean))
    throw new CliError(`${file} was not kept in whole: it is older than ${engine.name} keeps profiles`)
  if (options.json === true) return cli.terminal.json({ imported: tokens })
  cli.terminal.lines([`${countOf(tokens.length, 'profile')} imported: ${tokens.join(', ')}`])
}

function readProfiles(cli: Cli, file: string): readonly Profile[] {
  const redactor = new Redactor()
  try {
    return readProfileFile(readWhole(resolve(cli.cwd, file))).map((profile) => {
      return heldProfile(maskProfile(profile, redactor).profile, redactor)
    })
  } catch (cause) {
    if (cause instanceof ProfileFileError || cause instanceof RangeError) {
      throw new CliError(`${file} cannot be imported: ${cause.message}`, exitCodes.failed, { cause })
    }
    const { code } = membersOf(cause)
    if (typeof code !== 'string') throw cause
    throw new CliError(`${file} cannot be read (${code})`, code === 'ENOENT' ? exitCodes.notFound : exitCodes.failed, {
      cause,
    })
  }
}

/** As large as any other: parts beyond the limit are left out, with a note. */
function heldProfile(profile: Profile, redactor: Redactor): Profile {
  const { data, ...summary } = profile
  if (Buffer.byteLength(JSON.stringify(data)) <= maxProfileBytes) return profile
  const notes = notesOf(profile).slice(0, maxNotes)
  const parts = Object.entries(data).flatMap(([name, part]) => (name === 'notes' ? [] : partOf(name, part)))
  return toProfile(
    summary,
    {
      parts,
      notes: notes.map(({ source, message }) => ({ source: cutText(source, 200), message: cutText(message, 500) })),
    },
    redactor,
  )
}

const maxNotes = 50

function readWhole(path: string): string {
  const stats = statSync(path)
  if (!stats.isFile()) throw new ProfileFileError('it is not a file')
  if (stats.size > maxFileBytes)
    throw new ProfileFileError(`it has ${stats.size} bytes, more than the limit of ${maxFileBytes}`)
  return readFileSync(path, 'utf8')
}
