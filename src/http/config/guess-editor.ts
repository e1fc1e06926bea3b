// The editor in whose terminal the process began, by what editors leave in the environment.

import path from 'node:path'
import { editorNames } from './editor-address.ts'
import type { Variables } from './env-files.ts'

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
