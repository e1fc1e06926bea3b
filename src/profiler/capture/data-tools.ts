// What captures of one application share.

import type { Redactor } from '../../framework/redact/redactor.ts'
import type { CallSites } from './call-site.ts'
import type { CalledHosts } from './called-hosts.ts'
import type { KnownStatement } from './known-statement.ts'
import type { RequestPace } from './request-pace.ts'
import type { Remembered } from './remembered.ts'

/** What data is made with. */
export interface DataTools {
  readonly redactor: Redactor
  readonly callSites: CallSites
  readonly pace: RequestPace
  readonly hosts: CalledHosts
  /** Of statements that are told apart by their shape only. */
  readonly statements: Remembered<KnownStatement>
}
