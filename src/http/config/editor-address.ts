// The editors that pages may link to, and their addresses.

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

/** Further schemes that a custom address may have. */
const furtherSchemes = [
  'atom',
  'atom-beta',
  'bbedit',
  'editor',
  'goland',
  'jetbrains',
  'pycharm',
  'rubymine',
  'trae',
  'void',
  'x-mine',
]

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
