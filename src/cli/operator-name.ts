// Who runs a command, for those who read about it later.

import { hostname, userInfo } from 'node:os'
import { maxNameLength } from '../plugins/maintenance/lock-members.ts'

/** User of the operating system and machine: `anna@web-1`. */
export function operatorName(): string {
  return `${userName()}@${hostname()}`.slice(0, maxNameLength)
}

/** A container may run as a user that its system does not know. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}
