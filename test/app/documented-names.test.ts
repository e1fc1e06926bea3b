// Every name that users of the package can import has a doc comment, and so have its members and the options inside it: the
// reference in docs/reference/api/ is made of them.

import assert from 'node:assert/strict'
import path from 'node:path'
import { describe, it } from 'node:test'
import { readPublicApi } from '../../scripts/reference/public-api.ts'
import { referencePages } from '../../scripts/reference/write-reference.ts'

const root = path.join(import.meta.dirname, '../..')
const names = readPublicApi(root).flatMap((entry) => entry.names)

/** Types that users write: options, the members of a reply or a request to `inject()`. */
const isWritten = (name: string): boolean => /(?:Options|Init|Request|Rules|Definition)$/.test(name)

describe('the public interface', () => {
  it('has a doc comment for each name', () => {
    assert.ok(names.length > 100)
    assert.deepEqual(
      names.filter(({ doc }) => doc === '').map(({ file, name }) => `${file}: ${name}`),
      [],
    )
  })

  it('has a doc comment for each member that users read or write', () => {
    const shown = names.filter(({ depth, name }) => depth === 0 || isWritten(name))
    const missing = shown.flatMap(({ file, name, members }) =>
      members.filter(({ doc }) => doc === '').map((member) => `${file}: ${name}.${member.name}`),
    )
    assert.deepEqual(missing, [])
  })
})

describe('the reference of the API', () => {
  const pages = referencePages(root)

  it('has a heading for each name on the page of its entry', () => {
    for (const { name, entry } of names) {
      const page = pages.get(`${entry.replace('/', '-')}.md`) ?? ''
      assert.ok(page.includes(`### ${name}\n`), `${entry}: ${name}`)
    }
  })

  it('shows overloads, members and types', () => {
    const page = pages.get('fanlight.md') ?? ''
    assert.match(
      page,
      /### createApp\n\nMakes an application\.[^]*?function createApp\(options: AppOptions\): Promise<App>/,
    )
    assert.match(page, /\| `maxHeaderBytes\?: number` \| Largest request line/)
    assert.match(page, /Types: .*\[`AppOptions`\]\(#appoptions\)/)
  })
})
