// Asks the registry for known vulnerabilities of the run-time dependencies; high and critical ones fail. Where the registry does
// not reply, --required fails too (a release); without it a line says that nothing was checked (a build).

import { spawnSync } from 'node:child_process'

const severities = ['critical', 'high', 'moderate', 'low', 'info'] as const
const patienceMs = 60_000

const { stdout, error } = spawnSync('npm', ['audit', '--omit=dev', '--json', '--fetch-retries=0'], {
  encoding: 'utf8',
  timeout: patienceMs,
  stdio: ['ignore', 'pipe', 'ignore'],
})
const counts = readCounts(stdout)
if (counts === null) {
  const reason = error === undefined ? firstLine(stdout) : error.message
  const isRequired = process.argv.includes('--required')
  console.log(`npm audit: ${isRequired ? 'NOT CLEAN' : 'not checked'}, the registry does not reply (${reason}).`)
  if (isRequired) process.exitCode = 1
} else {
  const found = severities.filter((severity) => counts[severity] > 0)
  const said = found.map((severity) => `${counts[severity]} ${severity}`).join(', ')
  console.log(`npm audit: ${said === '' ? 'no known vulnerabilities in run-time dependencies' : said}.`)
  if (counts.critical + counts.high > 0) process.exitCode = 1
}

/** How many of each severity; `null` for what is not a report. */
function readCounts(text: string): Record<(typeof severities)[number], number> | null {
  const report = parse(text)
  const metadata = property(report, 'metadata')
  const vulnerabilities = property(metadata, 'vulnerabilities')
  if (typeof vulnerabilities !== 'object' || vulnerabilities === null) return null
  const count = (severity: string): number => Number(property(vulnerabilities, severity) ?? 0)
  return {
    critical: count('critical'),
    high: count('high'),
    moderate: count('moderate'),
    low: count('low'),
    info: count('info'),
  }
}

// The address is left out: what is configured as the registry is nobody's business in a build log.
function firstLine(text: string): string {
  const status = property(parse(text), 'statusCode')
  if (typeof status === 'number') return `status ${status}`
  const code = property(property(parse(text), 'error'), 'code')
  return typeof code === 'string' ? code : 'no report'
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}
