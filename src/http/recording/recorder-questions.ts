// How those that see a job or a task begin find out who records it: they ask on a channel. Its own file, because every registered process
// loads it.

export const recorderQuestions = 'fanlight:run-recorder'

export interface RecorderQuestion<Recorder> {
  /** Set by the first one who records. */
  recorder?: Recorder
  /** Asked again because nobody records yet: who can begin to sets `ready`. */
  readonly mayStart: boolean
  /** Resolves when somebody records, or cannot. */
  ready?: Promise<void>
}
