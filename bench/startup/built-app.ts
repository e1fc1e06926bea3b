// The shop as somebody runs it in production: the package as it is published below `node_modules/`, and the application made
// into few files by rolldown, as docs/lifecycle.md says.

import { copyFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown, type Plugin } from 'rolldown'
import { bundlePackage } from '../../scripts/bundle.ts'

/** Makes it in a directory, which must lie inside the repository: the package's own dependencies are looked up from there. */
export async function buildApp(directory: string): Promise<void> {
  const installed = join(directory, 'node_modules/fanlight')
  mkdirSync(installed, { recursive: true })
  await bundlePackage(join(installed, 'dist'))
  copyFileSync('package.json', join(installed, 'package.json'))
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ name: 'shop', private: true, type: 'module' }))
  cpSync('app/public', join(directory, 'app/public'), { recursive: true })
  const bundle = await rolldown({
    input: 'app/main.ts',
    platform: 'node',
    external: /^[a-z@]/,
    plugins: [publishedNames],
  })
  await bundle.write({ dir: join(directory, 'build'), chunkFileNames: '[name].js' })
  await bundle.close()
}

/** Inside the repository the shop imports the sources; elsewhere it would import the package. */
const publishedNames: Plugin = {
  name: 'published-names',
  resolveId: (id) => {
    const entry = /^(?:\.\.\/)+src\/([\w-]+)\.ts$/.exec(id)?.[1]
    if (entry === undefined) return null
    return { id: entry === 'index' ? 'fanlight' : `fanlight/${entry}`, external: true }
  },
}
