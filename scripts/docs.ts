// Makes the documentation site: `npm run docs` serves it while it is written, `npm run docs:build` builds it into `var/site/`,
// `npm run docs:preview` serves what was built.

import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { writeReference } from './reference/write-reference.ts'
import { writeLlmsFiles } from '../site/llms.ts'
import { readSections } from '../site/sidebar.ts'

const root = path.join(import.meta.dirname, '..')
const [command = 'dev', ...args] = process.argv.slice(2)
const docs = path.join(root, 'docs')

writeReference(root)
const vitepress = path.join(root, 'site/node_modules/vitepress/bin/vitepress.js')
const { status } = spawnSync(process.execPath, [vitepress, command, 'site', ...args], { cwd: root, stdio: 'inherit' })
if (status === 0 && command === 'build') writeLlmsFiles(docs, path.join(root, 'var/site'), readSections(docs))
process.exit(status ?? 1)
