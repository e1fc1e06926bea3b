// Where the project is published, and what follows from it. `node scripts/project-address.ts` writes that into both manifests.

import { readFileSync, writeFileSync } from 'node:fs'

/** `https://github.com/<owner>/<name>`. A release fills it in; `npm run release:check` refuses an empty one. */
export const projectAddress: string = ''

/** The manifests that name the address, each with its folder in the repository. */
export const manifests: Readonly<Record<string, string>> = {
  'package.json': '',
  'create-fanlight/package.json': 'create-fanlight',
}

/** A manifest with the fields that follow from an address; without them while the address is empty. */
export function withAddress(
  manifest: Readonly<Record<string, unknown>>,
  address: string,
  directory: string,
): Record<string, unknown> {
  const { repository: _repository, homepage: _homepage, bugs: _bugs, ...rest } = manifest
  if (address === '') return rest
  return {
    ...rest,
    homepage: `${address}#readme`,
    bugs: `${address}/issues`,
    repository: { type: 'git', url: `git+${address}.git`, ...(directory === '' ? {} : { directory }) },
  }
}

/** A manifest of this repository. */
export function readManifest(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
}

if (import.meta.main) {
  for (const [file, directory] of Object.entries(manifests)) {
    writeFileSync(file, `${JSON.stringify(withAddress(readManifest(file), projectAddress, directory), null, 2)}\n`)
    console.log(`${file}: ${projectAddress === '' ? 'no address' : projectAddress}`)
  }
}
