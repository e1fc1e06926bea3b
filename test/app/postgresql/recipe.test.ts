// Runs the programs of the pages that need PostgreSQL, on a server of their own.

import { mkdirSync, mkdtempSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { startPostgres, type DatabaseServer } from '../../support/database-servers.ts'
import { pages, root } from '../../support/documentation.ts'
import { freePort } from '../../support/free-port.ts'
import { hasPrograms, installSources, needsDatabase, runPage } from '../../support/page-programs.ts'
import { removeDirectory } from '../../support/temporary-directory.ts'

describe('the programs of pages about PostgreSQL', () => {
  mkdirSync(path.join(root, 'var'), { recursive: true })
  const folder = mkdtempSync(path.join(root, 'var/programs-'))
  installSources(folder)
  let server: DatabaseServer
  let address: string
  before(async () => {
    const port = await freePort()
    server = await startPostgres(port)
    address = `postgres://test@127.0.0.1:${port}/postgres`
  })
  after(async () => {
    await server.stop()
    await removeDirectory(folder)
  })
  for (const page of pages.filter((name) => hasPrograms(name) && needsDatabase(name))) {
    it(`${page} shows what happens`, () =>
      runPage(page, path.join(folder, page.replaceAll(/\W/g, '-')), { DATABASE_URL: address }))
  }
})
