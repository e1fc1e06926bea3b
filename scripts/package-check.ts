// Checks what would be published: a fresh build, the packed files and their size, and how they resolve: `npm run check:package`.

import { spawnSync } from 'node:child_process'

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
run('attw --pack', 'attw', ['--pack', '.', '--profile', 'esm-only', '--format', 'ascii', '--no-emoji', '--quiet'])

function run(name: string, command: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  console.log(`${name}: ${status === 0 ? 'clean' : 'NOT CLEAN'}`)
  if (status === 0) return
  process.stdout.write(stdout + stderr)
  process.exitCode = 1
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
