// Checks the package before it is published: a fresh build, the packed files, how they resolve, its dependencies, and that it
// works on a fresh machine. Leaves a software bill of materials (CycloneDX) in `var/release`. Publishes nothing.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

const billOfMaterials = 'var/release/sbom.cdx.json'

rmSync('dist', { recursive: true, force: true })
run('build', 'npm', ['run', '-s', 'build'])
checkPackedFiles()
run('publint --strict', 'publint', ['--strict'])
// ESM is all there is: `require` of it works on every Node that `engines` allows, and resolution of the time before
// `exports` is on none of them.
run('attw --pack', 'attw', ['--pack', '.', '--profile', 'esm-only', '--format', 'ascii', '--no-emoji', '--quiet'])
run('npm audit', process.execPath, ['scripts/release-audit.ts', '--required'], true)
writeBillOfMaterials()
run('fresh machine', process.execPath, ['scripts/fresh-machine/run.ts'], true)
console.log(process.exitCode === 1 ? 'Not ready to be released.' : 'Ready to be released.')

function run(name: string, command: string, args: readonly string[], isShown = false): void {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (isShown) process.stdout.write(stdout)
  else console.log(`${name}: ${status === 0 ? 'clean' : 'NOT CLEAN'}`)
  if (status === 0) return
  if (!isShown) process.stdout.write(stdout + stderr)
  process.exitCode = 1
}

/** Only what was built and the four texts: no test, no store, no environment file. */
function checkPackedFiles(): void {
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { encoding: 'utf8' })
  const files = packedFiles(JSON.parse(stdout))
  const others = files.filter((path) => !/^(?:dist\/|package\.json$|[A-Z]+(?:\.md)?$)/.test(path))
  const isClean = files.length > 0 && others.length === 0
  console.log(
    `npm pack: ${files.length} files${others.length > 0 ? `, NOT CLEAN: ${others.join(', ')}` : ', none but those'}`,
  )
  if (!isClean) process.exitCode = 1
}

// npm 10 prints a list of packages, npm 11 an object of them by name.
function packedFiles(report: unknown): readonly string[] {
  const [entry]: unknown[] = Object.values(report as Record<string, unknown>)
  return (entry as { files: { path: string }[] }).files.map(({ path }) => path)
}

function writeBillOfMaterials(): void {
  const { status, stdout, stderr } = spawnSync('npm', ['sbom', '--omit=dev', '--sbom-format=cyclonedx'], {
    encoding: 'utf8',
  })
  if (status !== 0) {
    console.log(`npm sbom: NOT CLEAN\n${stderr}`)
    process.exitCode = 1
    return
  }
  mkdirSync('var/release', { recursive: true })
  writeFileSync(billOfMaterials, stdout)
  const { components, specVersion } = JSON.parse(readFileSync(billOfMaterials, 'utf8')) as {
    components: unknown[]
    specVersion: string
  }
  console.log(`npm sbom: ${components.length} components, CycloneDX ${specVersion}, in ${billOfMaterials}`)
}
