import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { editorAddress, guessEditor } from '../../../src/http/config/editor-address.ts'
import { loadRuntimeContext } from '../../../src/http/config/runtime-context.ts'

const code = { TERM_PROGRAM: 'vscode' }

describe('guessEditor', () => {
  for (const [env, expected] of [
    [{}, null],
    [code, 'vscode'],
    [{ ...code, VSCODE_GIT_ASKPASS_NODE: '/Applications/Cursor.app/Contents/Frameworks/Cursor Helper' }, 'cursor'],
    [{ ...code, VSCODE_GIT_ASKPASS_MAIN: '/usr/share/windsurf/resources/askpass-main.js' }, 'windsurf'],
    [{ ...code, __CFBundleIdentifier: 'com.vscodium' }, 'vscodium'],
    [{ ...code, __CFBundleIdentifier: 'com.microsoft.VSCodeInsiders' }, 'vscode-insiders'],
    [{ ZED_TERM: 'true' }, 'zed'],
    [{ TERM_PROGRAM: 'zed' }, 'zed'],
    [{ TERM_PROGRAM: 'iTerm.app' }, null],
    [{ __CFBundleIdentifier: 'com.jetbrains.WebStorm' }, 'webstorm'],
    [{ TERMINAL_EMULATOR: 'JetBrains-JediTerm' }, null],
    [{ EDITOR: 'code --wait' }, 'vscode'],
    [{ EDITOR: '/opt/my tools/subl -w' }, 'sublime'],
    [{ EDITOR: 'C:\\Program Files\\Cursor\\cursor.exe' }, 'cursor'],
    [{ VISUAL: 'zed', EDITOR: 'vim' }, 'zed'],
    [{ EDITOR: 'vim' }, null],
    [{ EDITOR: 'emacs -nw' }, null],
    [{ ...code, SSH_CONNECTION: '10.0.0.1 2 10.0.0.2 22' }, null],
    [{ ...code, REMOTE_CONTAINERS: 'true' }, null],
    [{ ...code, WSL_DISTRO_NAME: 'Ubuntu-24.04' }, 'vscode://vscode-remote/wsl+Ubuntu-24.04%f:%l:%c'],
    [{ EDITOR: 'code', WSL_DISTRO_NAME: 'Ubuntu' }, null],
    [{ ...code, WSL_DISTRO_NAME: 'a/b c' }, null],
  ] as const) {
    it(`says ${expected} of ${JSON.stringify(env)}`, () => {
      assert.equal(guessEditor(env), expected)
      if (expected !== null) assert.notEqual(editorAddress(expected), null)
    })
  }

  it('is the default in development only, and a setting wins', () => {
    const editorOf = (env: Readonly<Record<string, string>>): string | null =>
      loadRuntimeContext({ cwd: import.meta.dirname, env: { ...code, ...env } }).context.editor
    assert.equal(editorOf({ APP_ENV: 'dev' }), 'vscode')
    assert.equal(editorOf({ APP_ENV: 'dev', APP_EDITOR: 'zed' }), 'zed')
    for (const env of [{ APP_ENV: 'test' }, { APP_ENV: 'prod' }, { APP_ENV: 'dev', APP_DEBUG: '0' }])
      assert.equal(editorOf(env), null)
  })
})
