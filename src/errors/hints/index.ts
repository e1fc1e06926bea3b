// The hints the library brings, in the order in which they are asked and shown.

import type { HintRule } from './hint.ts'
import { moduleNotFound } from './module-not-found.ts'
import { propertyOfNothing } from './property-of-nothing.ts'
import { headersAlreadySent } from './headers-already-sent.ts'
import { writeAfterEnd } from './write-after-end.ts'
import { prematureClose } from './premature-close.ts'
import { bodyReadTwice } from './body-read-twice.ts'
import { handlerReturnedNothing } from './handler-returned-nothing.ts'
import { invalidHeader } from './invalid-header.ts'
import { bodyTooLarge } from './body-too-large.ts'
import { htmlInsteadOfJson } from './html-instead-of-json.ts'
import { promiseNotAwaited } from './promise-not-awaited.ts'
import { objectAsText } from './object-as-text.ts'
import { undefinedAsJson } from './undefined-as-json.ts'
import { jsonEndedEarly } from './json-ended-early.ts'
import { jsonSyntax } from './json-syntax.ts'
import { failedFetch } from './failed-fetch.ts'
import { connectionRefused } from './connection-refused.ts'
import { hostNotFound } from './host-not-found.ts'
import { connectionTimedOut } from './connection-timed-out.ts'
import { connectionReset } from './connection-reset.ts'
import { networkUnreachable } from './network-unreachable.ts'
import { addressInUse } from './address-in-use.ts'
import { certificate } from './certificate.ts'
import { fileNotFound } from './file-not-found.ts'
import { wrongKindOfFile } from './wrong-kind-of-file.ts'
import { permissionDenied } from './permission-denied.ts'
import { tooManyOpenFiles } from './too-many-open-files.ts'
import { diskFull } from './disk-full.ts'
import { readOnlyDisk } from './read-only-disk.ts'
import { missingExport } from './missing-export.ts'
import { commonjsInModule } from './commonjs-in-module.ts'
import { pathNotExported } from './path-not-exported.ts'
import { unsupportedTypescript } from './unsupported-typescript.ts'
import { privateMethodUnbound } from './private-method-unbound.ts'
import { destructuredNothing } from './destructured-nothing.ts'
import { notIterable } from './not-iterable.ts'
import { notAFunction } from './not-a-function.ts'
import { notAConstructor } from './not-a-constructor.ts'
import { classWithoutNew } from './class-without-new.ts'
import { constantAssigned } from './constant-assigned.ts'
import { frozenObject } from './frozen-object.ts'
import { usedBeforeDefinition } from './used-before-definition.ts'
import { nameNotDefined } from './name-not-defined.ts'
import { stackOverflow } from './stack-overflow.ts'
import { circularJson } from './circular-json.ts'
import { bigintJson } from './bigint-json.ts'
import { bigintMixed } from './bigint-mixed.ts'
import { invalidUrl } from './invalid-url.ts'
import { malformedPercent } from './malformed-percent.ts'
import { invalidDate } from './invalid-date.ts'
import { invalidLength } from './invalid-length.ts'
import { invalidPattern } from './invalid-pattern.ts'
import { wrongArgument } from './wrong-argument.ts'
import { notCloneable } from './not-cloneable.ts'
import { timedOut } from './timed-out.ts'
import { aborted } from './aborted.ts'
import { unhandledErrorEvent } from './unhandled-error-event.ts'
import { sqliteLocked } from './sqlite-locked.ts'
import { tableMissing } from './table-missing.ts'
import { duplicateRecord } from './duplicate-record.ts'
import { foreignKey } from './foreign-key.ts'
import { databaseLogin } from './database-login.ts'
import { notAnError } from './not-an-error.ts'

/** Every hint of this folder. An application adds its own behind or before them. */
export const builtInHints: readonly HintRule[] = [
  moduleNotFound,
  propertyOfNothing,
  headersAlreadySent,
  writeAfterEnd,
  prematureClose,
  bodyReadTwice,
  handlerReturnedNothing,
  invalidHeader,
  bodyTooLarge,
  htmlInsteadOfJson,
  promiseNotAwaited,
  objectAsText,
  undefinedAsJson,
  jsonEndedEarly,
  jsonSyntax,
  failedFetch,
  connectionRefused,
  hostNotFound,
  connectionTimedOut,
  connectionReset,
  networkUnreachable,
  addressInUse,
  certificate,
  fileNotFound,
  wrongKindOfFile,
  permissionDenied,
  tooManyOpenFiles,
  diskFull,
  readOnlyDisk,
  missingExport,
  commonjsInModule,
  pathNotExported,
  unsupportedTypescript,
  privateMethodUnbound,
  destructuredNothing,
  notIterable,
  notAFunction,
  notAConstructor,
  classWithoutNew,
  constantAssigned,
  frozenObject,
  usedBeforeDefinition,
  nameNotDefined,
  stackOverflow,
  circularJson,
  bigintJson,
  bigintMixed,
  invalidUrl,
  malformedPercent,
  invalidDate,
  invalidLength,
  invalidPattern,
  wrongArgument,
  notCloneable,
  timedOut,
  aborted,
  unhandledErrorEvent,
  sqliteLocked,
  tableMissing,
  duplicateRecord,
  foreignKey,
  databaseLogin,
  notAnError,
]
