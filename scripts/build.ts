// Builds `dist/`, what is published: declarations by tsc, one for each source file, and JavaScript in few files.

import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { bundlePackage } from './bundle.ts'

rmSync('dist', { recursive: true, force: true })
const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' })
if (status === 0) await bundlePackage('dist')
else process.exitCode = status ?? 1
