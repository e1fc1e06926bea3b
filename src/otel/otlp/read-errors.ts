// Why a message of OTLP cannot be read.

import { nameError } from '../../base/http/name-error.ts'

/** Not a message of the kind. Its message continues a sentence about the body: `it ends too early`. */
export class OtlpReadError extends Error {}
nameError(OtlpReadError)

/** A message that has more parts, or more levels, than its reader takes. */
export class OtlpBoundError extends OtlpReadError {}
nameError(OtlpBoundError)

/** Messages inside messages. */
export const maxMessageDepth = 64
