// Links from a place in the source, `src/cart.ts:12`, to the reader's editor.

import { posix } from 'node:path'
import { allowedEditors, editorAddress } from './editor-address.ts'
import { html, trustedUrl, type SafeHtml } from '../../base/html/html.ts'
import type { RuntimeContext } from './runtime-context.ts'

/** Address that opens a place in the reader's editor (`vscode://file/…`), or `null`. Only called for own code. */
export type EditorLink = (file: string, line: number, column: number) => string | null

interface EditorLinkOptions {
  /** A name of `editorNames`, or an address with `%f` (file), `%l` (line) and `%c` (column): `my-editor://open?f=%f&l=%l`. */
  readonly editor: string
  /** Absolute directory of the project on the server. */
  readonly projectRoot: string
  /** Directories of the server on the reader's machine: `/app` → `/home/ann/shop`. Default: the same. */
  readonly pathMap?: ReadonlyMap<string, string>
}

export { editorNames } from './editor-address.ts'

/** Throws a RangeError for an unknown editor that is not an address with `%f` and an allowed scheme. */
export function createEditorLink(options: EditorLinkOptions): EditorLink {
  const address = addressOf(options.editor)
  const root = mapPath(toPosix(options.projectRoot), options.pathMap ?? new Map())
  return (file, line, column) => {
    const path = encodeFile(posix.join(root, toPosix(file)))
    const values: Readonly<Record<string, string>> = { '%f': path, '%l': String(line), '%c': String(column) }
    return address.replace(/%[flc]/g, (name) => values[name] ?? name)
  }
}

/** `undefined` if the runtime context names no editor. */
export function editorLinkOf({
  editor,
  pathMap,
  projectRoot,
}: Pick<RuntimeContext, 'editor' | 'pathMap' | 'projectRoot'>): EditorLink | undefined {
  return editor === null ? undefined : createEditorLink({ editor, projectRoot, pathMap: new Map(pathMap) })
}

function addressOf(editor: string): string {
  const address = editorAddress(editor)
  if (address === null) throw new RangeError(`Editor "${editor}" is not known; use ${allowedEditors}`)
  return address
}

// The longest matching directory wins.
function mapPath(path: string, pathMap: ReadonlyMap<string, string>): string {
  const from = [...pathMap.keys()]
    .filter((directory) => path === directory || path.startsWith(directory.endsWith('/') ? directory : `${directory}/`))
    .reduce((longest, directory) => (directory.length > longest.length ? directory : longest), '')
  return from === '' ? path : posix.join(toPosix(pathMap.get(from) ?? ''), path.slice(from.length))
}

// `C:\shop` is `/C:/shop` in an address.
function toPosix(path: string): string {
  const slashed = path.replaceAll('\\', '/')
  return /^[a-z]:\//i.test(slashed) ? `/${slashed}` : slashed
}

function encodeFile(path: string): string {
  return encodeURI(path.toWellFormed()).replace(/[?#&]/g, encodeURIComponent)
}

/**
 * A place, `src/prices.ts:12` or `src/prices.ts:12:5`: a link to the editor if it is in the project; without an editor, text that
 * `placeScript` lets the reader copy. ` (assumed)` after a captured call site stays. The places of imported profiles may be any text.
 */
export function placeLink(place: string, editor: EditorLink | undefined): SafeHtml {
  const remark = place.endsWith(assumed) ? assumed : ''
  const named = place.slice(0, place.length - remark.length)
  const [, file = '', line, column = '1'] = placePattern.exec(named) ?? []
  const code = html`<code>${named}</code>`
  if (line === undefined || !isOwn(file)) return html`${code}${remark}`
  const address = editor?.(file, Number(line), Number(column)) ?? null
  return address === null || scriptScheme.test(address)
    ? html`<code data-place>${named}</code>${remark}`
    : html`<a href="${trustedUrl(address)}">${code}</a>${remark}`
}

const assumed = ' (assumed)'
/** File, line and column. */
const placePattern = /^(.{1,1000}?):(\d{1,9})(?::(\d{1,9}))?$/
const scriptScheme = /^\s*(?:javascript|data|vbscript|blob):/i

/** Relative to the project, inside it, and not in a package. */
function isOwn(file: string): boolean {
  const parts = file.split(/[\\/]/)
  return !/^([\\/]|[a-z][a-z+.-]*:)/i.test(file) && !parts.includes('..') && !parts.includes('node_modules')
}
