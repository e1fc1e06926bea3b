// `/_profiler/changes?token=…`: what the error page asks while it is open, to reload itself when the source of its error changes. Without a token:
// when the application starts again.

import { stat } from 'node:fs/promises'
import { mayShowSource } from '../../errors/source-files.ts'
import { parseQuery } from '../../framework/http/query.ts'
import { readPart, type StoredChain } from '../stored-data.ts'
import { tokenForm } from './asked-part.ts'
import { fromStore, type ProfilerPage } from './profiler-page.ts'
import { profilerJson } from './profiler-reply.ts'

const maxFiles = 60

/** JSON: `stamp` changes with each own file of the recorded traces, and with each start of the application. */
export const changesPage: ProfilerPage = async ({ request }, { options, missing, madeAtMs }) => {
  const { profiles, projectRoot } = options
  const asked = parseQuery(request.rawQuery).get('token')?.[0]
  if (asked === undefined) return profilerJson(200, { stamp: String(madeAtMs) })
  const { token } = tokenForm(asked, undefined)
  const profile = await fromStore(async () => profiles.read(token))
  if (profile === undefined) return missing
  const exception = readPart(profile, 'exception')
  const files = exception.state === 'there' && projectRoot !== undefined ? ownFiles(exception.data) : []
  const times = files.slice(0, maxFiles).map(async (file) => changeOf(`${projectRoot}/${file}`))
  return profilerJson(200, { stamp: [madeAtMs, ...(await Promise.all(times))].join(' ') })
}

function ownFiles(chain: StoredChain): string[] {
  const files = new Set<string>()
  const open = [chain]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const { source } of next.origins ?? []) if (source !== null) files.add(source.file)
    for (const { frames, members } of next.errors) {
      for (const { file, origin } of frames) if (origin === 'own') files.add(file)
      open.push(...members)
    }
  }
  // Profiles may come from anywhere.
  return [...files].filter(mayShowSource)
}

/** Milliseconds since 1970; 0 for a missing file. */
async function changeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs
  } catch {
    return 0
  }
}
