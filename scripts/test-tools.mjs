// What the suites need from the system beside Node: where each program is looked for, what brings it, and which suites are
// left out where it is missing. Plain JavaScript, because the installation reads it before our own Node is there.

import { existsSync, readdirSync } from 'node:fs'

/** Programs, each with the Debian packages that bring it and the folders of the suites that need it. */
export const testTools = [
  // Chromium without a window system: it opens pages in half the time. The whole one does as well.
  {
    binary: 'chromium-headless-shell',
    or: 'chromium',
    packages: ['chromium-headless-shell'],
    suites: ['test/browser'],
  },
  {
    binary: 'redis-server',
    packages: ['redis-server'],
    suites: ['test/profiler/capture/servers/redis', 'test/stores/redis'],
  },
  {
    binary: 'postgres',
    packages: ['postgresql'],
    suites: ['test/profiler/capture/servers/postgresql', 'test/app/postgresql'],
  },
  // The core packages bring programs only: no service, no user, no database of the system's own.
  {
    binary: 'mariadbd',
    packages: ['mariadb-server-core', 'mariadb-client-core'],
    suites: ['test/profiler/capture/servers/mariadb'],
  },
]

/** Tools that are not on this machine. */
export function missingTools() {
  return testTools.filter(({ binary, or = binary }) => findProgram(binary) === null && findProgram(or) === null)
}

/** Absolute path of a program, also where Debian keeps servers off the PATH of users; `null` where there is none. */
export function findProgram(name) {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin', ...postgresFolders()]
  for (const folder of folders) {
    if (folder !== '' && existsSync(`${folder}/${name}`)) return `${folder}/${name}`
  }
  return null
}

/** Debian keeps each major version of PostgreSQL apart; the newest comes first. */
function postgresFolders() {
  const home = '/usr/lib/postgresql'
  if (!existsSync(home)) return []
  const versions = readdirSync(home).sort((one, other) => Number(other) - Number(one))
  return versions.map((version) => `${home}/${version}/bin`)
}
