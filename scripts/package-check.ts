// Checks what would be published: a fresh build, the packed files and their size, and how they resolve: `npm run check:package`.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const maxPackedBytes = 1_000_000

/** What a package may hold: what was built, the texts, and the examples that the docs link to. */
const packedPaths = [
  ['.', /^(?:dist\/|docs\/.*\.md$|examples\/(?:many-machines|postgresql)\/|package\.json$|[A-Z]+(?:\.md)?$)/],
  ['create-fanlight', /^(?:dist\/create\.js$|templates\/|package\.json$|[A-Z]+(?:\.md)?$)/],
] as const

run('build', 'npm', ['run', '-s', 'build'])
for (const [folder, paths] of packedPaths) {
  checkPackedFiles(folder, paths)
  run(`publint --strict ${folder}`, 'publint', ['--strict', folder])
}
// ESM is all there is: `require` of it works on every Node that `engines` allows, and resolution of the time before
// `exports` is on none of them.
declarationsOfUser()
run('attw --pack', 'attw', ['--pack', '.', '--profile', 'esm-only', '--format', 'ascii', '--no-emoji', '--quiet'])

function run(name: string, command: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  console.log(`${name}: ${status === 0 ? 'clean' : 'NOT CLEAN'}`)
  if (status === 0) return
  process.stdout.write(stdout + stderr)
  process.exitCode = 1
}

/** Whether tsc can write the types of exported routes, as it does for a library and by its own default. */
function declarationsOfUser(): void {
  const folder = mkdtempSync(resolve('var/package-check-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(resolve('.'), join(folder, 'node_modules/fanlight'))
  const compilerOptions = {
    preserveSymlinks: true,
    declaration: true,
    isolatedDeclarations: false,
    noEmit: false,
    outDir: 'out',
  }
  const config = { extends: resolve('tsconfig.json'), compilerOptions, include: ['*.ts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  writeFileSync(
    join(folder, 'routes.ts'),
    `import { json, RouteCollection } from 'fanlight'
import * as v from 'valibot'
const Note = v.object({ title: v.string() })
export const notes = new RouteCollection().post('note', '/notes/{id<int>}', ({ valid }) => json(valid.body), { body: Note })
export const group = new RouteCollection().group({ path: '/a', body: Note }, (all) => all.post('b', '/b', () => json(1)))
export const mounted = new RouteCollection().mount('/x', notes).merge(group)
`,
  )
  run('declarations of exported routes', 'tsc', ['-p', folder])
  rmSync(folder, { recursive: true })
}

function checkPackedFiles(folder: string, paths: RegExp): void {
  const { stdout } = spawnSync('npm', ['pack', `./${folder}`, '--dry-run', '--json', '--ignore-scripts'], {
    encoding: 'utf8',
  })
  const { name, size, files } = packReport(JSON.parse(stdout))
  const others = files.map(({ path }) => path).filter((path) => !paths.test(path))
  const faults = [
    ...(others.length > 0 ? [`not to be published: ${others.join(', ')}`] : []),
    ...(size > maxPackedBytes ? [`at most ${maxPackedBytes} bytes are allowed`] : []),
  ]
  const said = faults.length > 0 ? `, NOT CLEAN: ${faults.join('; ')}` : ''
  console.log(`npm pack ${name}: ${files.length} files, ${size} bytes packed${said}`)
  if (faults.length > 0) process.exitCode = 1
}

interface PackReport {
  readonly name: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

// npm 10 prints a list of packages, npm 11 an object of them by name.
function packReport(report: unknown): PackReport {
  const [entry]: unknown[] = Object.values(report as Record<string, unknown>)
  return entry as PackReport
}
