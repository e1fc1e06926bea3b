// What records runs: jobs of queues and tasks of schedules, which no application starts itself. Those that see a run begin ask the
// process who records it.

import { channel } from 'node:diagnostics_channel'
import { recorderQuestions, type RecorderQuestion } from '../../http/recording/recorder-questions.ts'
import type { Exchange, Failure } from '../../http/kernel/exchange.ts'
import type { JobData, TaskData } from '../../observe/collectors/runs.ts'

/** What the panel of a run shows, by the type of the run. */
export interface RunData {
  readonly job: JobData
  readonly task: TaskData
}

export interface RunStart<Type extends keyof RunData> {
  readonly type: Type
  /** `mail/welcome` */
  readonly name: string
  /** Tells runs of one name apart: `id=12`. Default: nothing does. */
  readonly query?: string
  /** Continues a trace. Default: begins one. */
  readonly traceparent?: string | null
}

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

const questions = channel(recorderQuestions)

/** Whether anybody in this process may record runs: in debug only. */
export function mayRecordRuns(): boolean {
  return questions.hasSubscribers
}

/** Does the work with what records runs in this process; with `undefined` if nothing does. */
export function withRunRecorder<Result>(work: (recorder: RunRecorder | undefined) => Result): Result | Promise<Result> {
  if (!mayRecordRuns()) return work(undefined)
  const ask = (mayStart: boolean): RecorderQuestion<RunRecorder> => {
    const question: RecorderQuestion<RunRecorder> = { mayStart }
    questions.publish(question)
    return question
  }
  const { recorder } = ask(false)
  if (recorder !== undefined) return work(recorder)
  const { ready } = ask(true)
  return ready === undefined ? work(undefined) : ready.then(() => work(ask(false).recorder))
}
