// Builds what is published: `dist/` with JavaScript in few files and the declarations that its entries reach, and the program of
// `create-fanlight/`.

import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { bundleCreate, bundlePackage, entries } from './bundle.ts'
import { keepReachedDeclarations } from './declarations.ts'

rmSync('dist', { recursive: true, force: true })
const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' })
if (status === 0) {
  keepReachedDeclarations('dist', entries())
  await bundlePackage('dist')
  await bundleCreate('create-fanlight/dist/create.js')
} else process.exitCode = status ?? 1
