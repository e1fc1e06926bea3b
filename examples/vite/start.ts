// Starts the application and Vite in front of it, each in a process: `npm run example:vite`. The page, the toolbar and the profiler
// are on Vite's port.

import { spawn } from 'node:child_process'
import { join } from 'node:path'

const vite = join(import.meta.dirname, '../../node_modules/vite/bin/vite.js')
const programs = [[join(import.meta.dirname, 'app.ts')], [vite, '--host', '127.0.0.1', import.meta.dirname]]
const children = programs.map((args) => spawn(process.execPath, args, { stdio: 'inherit' }))

/** One does not go on without the other. */
function end(): void {
  for (const child of children) child.kill()
}

for (const child of children) child.on('exit', end)
process.on('SIGINT', end)
process.on('SIGTERM', end)
