// `fanlight profiles pause` and `resume`: stop recording in every process that shares the store, and go on.

import { pauseSentence } from '../../profiler/query/profile-facts.ts'
import { pauseNow } from '../../profiler/recording-pause.ts'
import type { Cli } from '../cli.ts'
import { visibleText } from '../terminal.ts'

export interface PauseOptions {
  readonly json?: true
}

/** A pause that is there already keeps its time. */
export async function pauseRecording(cli: Cli, name: 'pause' | 'resume', { json }: PauseOptions): Promise<void> {
  const pause = await cli.withEngine(async (engine) => {
    const wanted = name === 'resume' ? null : ((await engine.pause.read()) ?? pauseNow(cli.now()))
    await engine.pause.write(wanted)
    return wanted
  })
  if (json === true) return cli.terminal.json({ pause })
  cli.terminal.lines([pause === null ? 'Requests are recorded again.' : visibleText(pauseSentence(pause))])
}
