// Builds `dist/`, what is published: JavaScript in few files, and the declarations that its entries reach.

import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { bundlePackage, entries } from './bundle.ts'
import { keepReachedDeclarations } from './declarations.ts'

rmSync('dist', { recursive: true, force: true })
const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' })
if (status === 0) {
  keepReachedDeclarations('dist', entries())
  await bundlePackage('dist')
} else process.exitCode = status ?? 1
