// The editors that pages may link to, their addresses, and the one in whose terminal the process began.

import path from 'node:path'
import type { Variables } from './folder-files.ts'

const addresses: ReadonlyMap<string, string> = new Map([
  ['vscode', 'vscode://file%f:%l:%c'],
  ['vscode-insiders', 'vscode-insiders://file%f:%l:%c'],
  ['vscodium', 'vscodium://file%f:%l:%c'],
  ['cursor', 'cursor://file%f:%l:%c'],
  ['windsurf', 'windsurf://file%f:%l:%c'],
  ['zed', 'zed://file%f:%l:%c'],
  ['idea', 'idea://open?file=%f&line=%l&column=%c'],
  ['webstorm', 'webstorm://open?file=%f&line=%l&column=%c'],
  ['phpstorm', 'phpstorm://open?file=%f&line=%l&column=%c'],
  ['sublime', 'subl://open?url=file://%f&line=%l&column=%c'],
  ['textmate', 'txmt://open?url=file://%f&line=%l&column=%c'],
  ['macvim', 'mvim://open?url=file://%f&line=%l&column=%c'],
  ['emacs', 'emacs://open?url=file://%f&line=%l&column=%c'],
  ['nova', 'nova://open?path=%f&line=%l&column=%c'],
])

export const editorNames: readonly string[] = [...addresses.keys()]

const furtherSchemes = ['atom', 'editor', 'goland', 'jetbrains', 'trae', 'void']

const schemes: ReadonlySet<string> = new Set([
  ...[...addresses.values()].map((address) => address.slice(0, address.indexOf(':'))),
  ...furtherSchemes,
])

/** What `editorAddress` accepts, for messages. */
export const allowedEditors: string = `${editorNames.join(', ')}, or an address of a known scheme with %f, %l and %c, such as vscode://vscode-remote/wsl+Ubuntu%f:%l:%c`

/**
 * The address of an editor, with `%f` for the file, `%l` for the line and `%c` for the column: that of a name, or the text
 * itself if it is an address with `%f` and an allowed scheme; `http` only to this machine. `null` for anything else.
 */
export function editorAddress(editor: string): string | null {
  const known = addresses.get(editor)
  if (known !== undefined) return known
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(editor)?.[1]?.toLowerCase() ?? ''
  const isAllowed = schemes.has(scheme) || /^http:\/\/(?:localhost|127\.0\.0\.1)(?::\d{1,5})?\//i.test(editor)
  return isAllowed && editor.includes('%f') && /^[\u0021-\u007e]{1,500}$/.test(editor) ? editor : null
}

/** What tells that the files are not on the machine of the reader. */
const elsewhere = ['SSH_CONNECTION', 'CODESPACES', 'REMOTE_CONTAINERS'] as const

/** A value for `APP_EDITOR`; `null` where nothing tells the editor, or the files are on another machine. */
export function guessEditor(env: Variables): string | null {
  if (elsewhere.some((name) => (env[name] ?? '') !== '')) return null
  const terminal = ofTerminal(env)
  const distribution = env['WSL_DISTRO_NAME'] ?? ''
  if (distribution === '') return terminal ?? ofCommand(env['VISUAL']) ?? ofCommand(env['EDITOR'])
  return terminal === null || !/^[\w.-]{1,60}$/.test(distribution)
    ? null
    : `${terminal}://vscode-remote/wsl+${distribution}%f:%l:%c`
}

/** Editors that are made of VS Code name themselves in the paths that they leave. */
const madeOfCode = [
  ['cursor', 'cursor'],
  ['windsurf', 'windsurf'],
  ['codium', 'vscodium'],
  ['insiders', 'vscode-insiders'],
] as const

function ofTerminal(env: Variables): string | null {
  const { TERM_PROGRAM: terminal, ZED_TERM, __CFBundleIdentifier: bundle = '' } = env
  if (terminal === 'vscode') {
    const paths = [env['VSCODE_GIT_ASKPASS_NODE'], env['VSCODE_GIT_ASKPASS_MAIN'], bundle].join(' ').toLowerCase()
    return madeOfCode.find(([word]) => paths.includes(word))?.[1] ?? 'vscode'
  }
  if (ZED_TERM === 'true' || terminal === 'zed') return 'zed'
  return ['webstorm', 'phpstorm'].find((name) => bundle.toLowerCase() === `com.jetbrains.${name}`) ?? null
}

/** Commands that are not named as the editor is. */
const commands: ReadonlyMap<string, string> = new Map([
  ['code', 'vscode'],
  ['code-insiders', 'vscode-insiders'],
  ['codium', 'vscodium'],
  ['zeditor', 'zed'],
  ['subl', 'sublime'],
  ['mate', 'textmate'],
  ['mvim', 'macvim'],
])

/** Emacs runs in terminals, too, where its addresses lead nowhere. */
function ofCommand(command = ''): string | null {
  const name = path.win32.basename(command.trim().split(/\s+(?=-)/)[0] ?? '').replace(/\.(?:exe|cmd)$/i, '')
  const editor = commands.get(name) ?? name
  return editor !== 'emacs' && editorNames.includes(editor) ? editor : null
}
