// What records runs: jobs of queues and tasks of schedules, which no application starts itself. Those that see a run begin ask the
// process who records it.

import { channel } from 'node:diagnostics_channel'
import type { Exchange, Failure } from '../../framework/kernel/exchange.ts'
import type { JobData } from '../collectors/job.ts'
import type { TaskData } from '../collectors/task.ts'

/** What the panel of a run shows, by the type of the run. */
export interface RunData {
  readonly job: JobData
  readonly task: TaskData
}

/** How a run is named. */
export interface RunStart<Type extends keyof RunData> {
  readonly type: Type
  /** `mail/welcome` */
  readonly name: string
  /** Tells runs of one name apart: `id=12`. Default: nothing does. */
  readonly query?: string
  /** Continues a trace. Default: begins one. */
  readonly traceparent?: string | null
}

/** A run that is recorded. */
export interface RecordedRun<Data> {
  /** The code of the run is a part of it. */
  readonly exchange: Exchange
  /** Keeps what is known now; the last one counts. */
  keep(data: Data): void
  /** Ends it; `null`: it did not fail. Never rejects. */
  end(failure: Failure | null): Promise<void>
}

export interface RunRecorder {
  /** `undefined`: this one is not recorded. */
  begin<Type extends keyof RunData>(start: RunStart<Type>): RecordedRun<RunData[Type]> | undefined
}

/** Asked with each run. The first one who can sets `recorder`; `ready`: somebody can when it has resolved. */
export interface RecorderQuestion {
  recorder?: RunRecorder
  ready?: Promise<void>
}

export const recorderQuestions = 'fanlight:run-recorder'
const questions = channel(recorderQuestions)

/** Does the work with what records runs in this process; with `undefined` where nothing does. */
export function withRunRecorder<Result>(work: (recorder: RunRecorder | undefined) => Result): Result | Promise<Result> {
  const ask = (): RecorderQuestion => {
    const question: RecorderQuestion = {}
    questions.publish(question)
    return question
  }
  const { recorder, ready } = ask()
  if (recorder !== undefined || ready === undefined) return work(recorder)
  return ready.then(() => work(ask().recorder))
}
