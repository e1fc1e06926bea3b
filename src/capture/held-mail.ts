// Whether mail is held back. Transporters are not part of an application, so they ask all applications of the process.

import { channel } from 'node:diagnostics_channel'
import { Channels, type ChannelListener } from '../observe/tracing-source.ts'

interface Question {
  isHeld: boolean
}

const questionName = 'fanlight:mail'

/** Whether an application of this process holds mail back at this moment. */
export function isMailHeld(): boolean {
  const question: Question = { isHeld: false }
  channel(questionName).publish(question)
  return question.isHeld
}

/** Holds mail back from `start()` to `stop()`. */
export function mailHold(): Channels {
  const hold: ChannelListener = (question) => void Object.assign(Object(question), { isHeld: true } satisfies Question)
  return new Channels('mail', { [questionName]: hold })
}
