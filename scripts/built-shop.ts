// Makes the shop as it runs in production: the package below `node_modules/` as published, the application bundled (docs/deploy.md).

import { copyFileSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { rolldown, type Plugin } from 'rolldown'
import { bundlePackage } from './bundle.ts'

/** What to start, in the directory. */
export const builtMain = 'build/main.js'

/** The command line, in the directory. */
export const builtCli = 'node_modules/fanlight/dist/cli/main.js'

/** Makes it in an empty directory. */
export async function buildShop(directory: string): Promise<void> {
  await installPackage(directory)
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ name: 'shop', private: true, type: 'module' }))
  cpSync('app/public', join(directory, 'app/public'), { recursive: true })
  const bundle = await rolldown({
    input: 'app/main.ts',
    platform: 'node',
    external: /^fanlight/,
    plugins: [publishedNames],
  })
  await bundle.write({ dir: join(directory, 'build'), chunkFileNames: '[name].js' })
  await bundle.close()
}

/** The package, and links to the packages that it needs. */
export async function installPackage(directory: string): Promise<void> {
  const modules = join(directory, 'node_modules')
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> }
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(resolve('node_modules', name), join(modules, name))
  }
  await bundlePackage(join(modules, 'fanlight/dist'))
  copyFileSync('package.json', join(modules, 'fanlight/package.json'))
}

/** Here the shop imports the sources; elsewhere it would import the package. */
const publishedNames: Plugin = {
  name: 'published-names',
  resolveId: (id) => {
    const entry = /^(?:\.\.\/)+src\/([\w-]+)\.ts$/.exec(id)?.[1]
    if (entry === undefined) return null
    return { id: entry === 'index' ? 'fanlight' : `fanlight/${entry}`, external: true }
  },
}
