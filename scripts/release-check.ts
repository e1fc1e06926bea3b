// Checks the packages before they are published: what is packed, their address, their dependencies, and that they work on a fresh
// machine. Leaves a software bill of materials (CycloneDX) in `var/release`. Publishes nothing.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { projectAddress } from './project-address.ts'

const billOfMaterials = 'var/release/sbom.cdx.json'

checkAddress()
run('packages', 'scripts/package-check.ts')
run('npm audit', 'scripts/release-audit.ts', '--required')
writeBillOfMaterials()
run('fresh machine', 'scripts/fresh-machine/run.ts')
console.log(process.exitCode === 1 ? 'Not ready to be released.' : 'Ready to be released.')

function run(name: string, ...script: readonly string[]): void {
  const { status } = spawnSync(process.execPath, script, { stdio: 'inherit' })
  if (status === 0) return
  console.log(`${name}: NOT CLEAN`)
  process.exitCode = 1
}

/** Registries show where a package comes from, and where to report a bug. */
function checkAddress(): void {
  if (projectAddress !== '') return
  console.log('address: NOT CLEAN, fill in projectAddress in scripts/project-address.ts, then run that file.')
  process.exitCode = 1
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
