import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createEditorLink, editorNames } from '../../../src/http/config/editor-link.ts'

describe('createEditorLink', () => {
  const projectRoot = '/srv/shop'

  it('opens the place in a known editor', () => {
    const open = createEditorLink({ editor: 'vscode', projectRoot })
    assert.equal(open('app/main.ts', 12, 5), 'vscode://file/srv/shop/app/main.ts:12:5')
    const idea = createEditorLink({ editor: 'idea', projectRoot })
    assert.equal(idea('app/main.ts', 12, 5), 'idea://open?file=/srv/shop/app/main.ts&line=12&column=5')
  })
  it('knows the common editors', () => {
    for (const editor of editorNames) {
      const address = createEditorLink({ editor, projectRoot })('a.ts', 1, 2)
      assert.match(address ?? '', /^[a-z-]+:\/\/.*\/srv\/shop\/a\.ts.*1/)
    }
  })
  it('takes its own address', () => {
    const open = createEditorLink({ editor: 'atom://?f=%f&l=%l&c=%c&f=%f', projectRoot })
    assert.equal(open('a.ts', 3, 4), 'atom://?f=/srv/shop/a.ts&l=3&c=4&f=/srv/shop/a.ts')
  })
  it('names the directory as the reader knows it, the longest match first', () => {
    const pathMap = new Map([
      ['/srv', '/wrong'],
      ['/srv/shop', '/home/ann/my shop'],
      ['/srv/sho', '/wrong'],
    ])
    const open = createEditorLink({ editor: 'zed', projectRoot, pathMap })
    assert.equal(open('app/a.ts', 1, 1), 'zed://file/home/ann/my%20shop/app/a.ts:1:1')
    const windows = createEditorLink({ editor: 'zed', projectRoot, pathMap: new Map([['/srv/shop', 'C:\\shop']]) })
    assert.equal(windows('app/a.ts', 1, 1), 'zed://file/C:/shop/app/a.ts:1:1')
  })
  it('leaves a path that no directory holds as it is', () => {
    const open = createEditorLink({ editor: 'zed', projectRoot, pathMap: new Map([['/srv/shopping', '/x']]) })
    assert.equal(open('a.ts', 1, 1), 'zed://file/srv/shop/a.ts:1:1')
  })
  it('keeps odd file names inside the path', () => {
    const open = createEditorLink({ editor: 'idea', projectRoot })
    assert.equal(open('a?b#c&d %f.ts', 1, 1), 'idea://open?file=/srv/shop/a%3Fb%23c%26d%20%25f.ts&line=1&column=1')
    assert.equal(open('\ud800.ts', 1, 1), 'idea://open?file=/srv/shop/%EF%BF%BD.ts&line=1&column=1')
  })
  it('says what is allowed when an editor is not known or has no allowed scheme', () => {
    for (const editor of [
      'notepad',
      'atom://open',
      'mine://open?%f',
      'javascript:alert(%f)',
      'http://evil.test/%f',
      'zed://%f\n',
      '',
    ]) {
      assert.throws(
        () => createEditorLink({ editor, projectRoot }),
        /is not known; use vscode, .* or an address .*with %f/,
      )
    }
  })
})
