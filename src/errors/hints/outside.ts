// Hints about what others refuse: databases (SQLite, PostgreSQL, MySQL, MongoDB, Redis), and the system: connections, files, disks, streams
// and emitters, and modules that Node cannot load.

import type { FlattenedError } from '../flattened-error.ts'
import { firstGroup, ownPlace, propertyText, type HintRows, peerOf } from './hint.ts'
import { readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { nearWords } from '../../base/options/check-options.ts'

export const databaseHints: HintRows = {
  'pool-exhausted': {
    message:
      /timeout exceeded when trying to connect|Timeout acquiring a connection|acquir\w+ (?:a |the )?(?:connection|client).*tim(?:ed|e) ?out|tim(?:ed|e) ?out .*from the (?:connection )?pool|(?:[Cc]onnection pool|The pool) is (?:probably )?(?:full|exhausted)|[Tt]oo many (?:clients|connections)|No (?:free|available) connections?|Queue limit reached/,
    codes: ['53300', 'P2024', 'ER_CON_COUNT_ERROR'],
    title: 'Every connection of the pool is taken',
    text: 'No connection became free in time{at}. Look for code that takes a client and does not release it on every path: release it in finally, and do not wait for other requests while holding one. Raise the size of the pool only after that.',
  },
  'sqlite-locked': {
    message: /database (table )?is locked|SQLITE_BUSY/,
    title: 'Another connection holds the database',
    text: 'SQLite lets one connection write at a time. Keep transactions short, set a busy timeout, and use WAL mode so that readers do not wait.',
  },
  'table-missing': {
    message: /no such table|no such column|has no column named/,
    codes: ['42P01', '42703', 'ER_NO_SUCH_TABLE', 'ER_BAD_FIELD_ERROR'],
    title: ({ message }) => `The database has no ${firstGroup(missingName, message) || 'such table or column'}`,
    text: 'Check the spelling in the query. If it is right, the migrations have not run on this database, or the process is connected to a different one than you think.',
  },
  'sql-syntax': {
    message: /near ".*": syntax error|^incomplete input$/,
    codes: ['42601', 'ER_PARSE_ERROR'],
    title: (error) => `The SQL is not valid${nearSyntax(error)}`,
    text: 'The query was sent{at}. Check the part before that word: a missing comma or closing parenthesis, a keyword used as a name, or text that was put together from values. Pass values as parameters.',
  },
  'parameter-count': {
    message:
      /column index out of range|Unknown named parameter|values for \d+ columns|bind message supplies \d+ parameters/,
    codes: ['08P01'],
    title: 'The query and its parameters do not match',
    text: (error) =>
      `Compare the placeholders of the query with the values given${ownPlace(error)}: ${error.message.slice(0, 200)}.`,
  },
  'parameter-type': {
    replaces: 'wrong-argument',
    message: /cannot be bound to SQLite parameter/,
    title: (error) =>
      `Parameter ${firstGroup(/parameter (\d+)/, error.message) || 'of the query'} has a type that SQLite does not store`,
    text: 'The call{at} passed undefined, a boolean, a Date, an array or an object. Pass null, 0 or 1, or text, for example date.toISOString() or JSON.stringify(list).',
  },
  'duplicate-record': {
    message: /UNIQUE constraint failed|duplicate key/,
    codes: ['23505', 'ER_DUP_ENTRY', '11000'],
    title: (error) => `A record with this ${columnOf(error) || 'key'} already exists`,
    text: 'The insert{at} repeats a unique value. Decide what that means here: respond with 409, update the record, or insert with "on conflict". Checking first does not help: another request may insert in between.',
  },
  'null-column': {
    message: /NOT NULL constraint failed|violates not-null constraint/,
    codes: ['23502', 'ER_BAD_NULL_ERROR'],
    title: (error) => `${columnOf(error) || 'A required column'} was given no value`,
    text: 'The column is NOT NULL, and the query{at} set it to null or left it out. Check which field of the input was missing or has another name, or give the column a default.',
  },
  'check-failed': {
    message: /CHECK constraint failed|violates check constraint/,
    codes: ['23514', 'ER_CHECK_CONSTRAINT_VIOLATED'],
    title: (error) => {
      const rule =
        firstGroup(/CHECK constraint failed: (.{1,200})/, error.message) ||
        propertyText(error, 'constraint') ||
        firstGroup(/check constraint "([^"]+)"/, error.message)
      return `A value breaks the rule ${rule === '' ? 'of its table' : `"${rule}"`}`
    },
    text: 'The query{at} stores a value that the CHECK of the table forbids. Validate the input before it is stored.',
  },
  'foreign-key': {
    message: /FOREIGN KEY constraint failed/,
    codes: ['23503', 'ER_NO_REFERENCED_ROW_2', 'ER_ROW_IS_REFERENCED_2'],
    title: 'The record refers to a missing one, or is still referred to',
    text: 'The query{at} breaks a reference. Insert the referenced record first, and delete it last.',
  },
  'value-does-not-fit': {
    message:
      /^datatype mismatch|cannot store \w+ value in|invalid input syntax for type|value too long for type|out of range for type/,
    codes: ['22P02', '22001', '22003', 'ER_DATA_TOO_LONG', 'ER_TRUNCATED_WRONG_VALUE_FOR_FIELD'],
    title: (error) =>
      `The value does not fit its column${firstGroup(/type ([\w ]+?)(?::|\(|$)/, error.message).replace(/^(?=.)/, ' of type ')}`,
    text: 'The query{at} passed text where a number belongs, or a value that is too long. Convert and check the input first.',
  },
  deadlock: {
    message: /deadlock detected|could not serialize access/,
    codes: ['40P01', '40001', 'ER_LOCK_DEADLOCK'],
    title: 'Two transactions waited for each other',
    text: 'The database ended this one{at}. Change rows in the same order everywhere, and run the whole transaction again.',
  },
  'database-closed': {
    message: /^database is not open|^statement has been finalized|Client was closed|pool after calling end/,
    title: 'The database was used after it was closed',
    text: 'The connection had been closed before the query{at}. Open it once at the start and close it when the application ends.',
  },
  'database-file': {
    message: /^unable to open database file|^attempt to write a readonly database|^file is not a database/,
    title: (error) =>
      error.message.startsWith('unable')
        ? 'The database file cannot be opened'
        : `The file cannot be used: ${error.message}`,
    text: 'Check the path that was opened{at}: its directory must exist, it starts at the working directory of the process, and the user running the process needs the right to write there.',
  },
  'database-login': {
    message: /^(NOAUTH|WRONGPASS|Authentication failed)/,
    codes: ['28P01', '28000', 'ER_ACCESS_DENIED_ERROR'],
    title: 'The database refused the login',
    text: 'User, password or database name are wrong for this server. Check which environment file was read.',
  },
}

const missingName = /(?:no such (?:table|column): |no column named |relation "|column "|Table '|column ')([\w.]+)/

/** `orders.mail`, as SQLite and PostgreSQL name it; empty if unknown. */
function columnOf(error: FlattenedError): string {
  const named = firstGroup(/constraint failed: ([\w.]+(?:, [\w.]+)*)/, error.message)
  if (named !== '') return named
  const column =
    propertyText(error, 'column') ||
    firstGroup(/(?:column|Column) ["']([^"']+)["']/, error.message) ||
    firstGroup(/^Key \(([^)]+)\)/, propertyText(error, 'detail'))
  const table = propertyText(error, 'table')
  return column === '' || table === '' ? column : `${table}.${column}`
}

/** ` near "FORM"`; empty if the database does not say. */
function nearSyntax(error: FlattenedError): string {
  const word = firstGroup(/near ["'](.{1,60}?)["']/, error.message)
  return word === '' ? '' : ` near "${word}"`
}

export const systemHints: HintRows = {
  'connection-refused': {
    codes: ['ECONNREFUSED'],
    title: 'Nothing is listening on {peer}',
    text: 'The connection to {peer} was refused: the service is not running, runs on another port, or listens on another address (localhost may mean ::1 or 127.0.0.1). In a container, localhost is the container itself.',
  },
  'host-not-found': {
    codes: ['ENOTFOUND', 'EAI_AGAIN'],
    title: 'The host {peer} cannot be found',
    text: 'The name did not resolve. Check its spelling in the configuration; in a container or a cluster, check that the service has that name in this network. EAI_AGAIN means that the resolver itself did not respond.',
  },
  'connection-timed-out': {
    codes: [
      'ETIMEDOUT',
      'UND_ERR_CONNECT_TIMEOUT',
      'UND_ERR_HEADERS_TIMEOUT',
      'UND_ERR_BODY_TIMEOUT',
      'ESOCKETTIMEDOUT',
    ],
    title: '{peer} did not respond in time',
    text: 'No response at all suggests a firewall, a wrong address or an overloaded service. Raise the limit only if the work is known to take that long.',
  },
  'connection-reset': {
    codes: ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'],
    title: 'The other side closed the connection',
    text: 'It restarted, closed an idle connection, or rejected what was sent (TLS to a plain port does this). Requests that change nothing can be retried once.',
  },
  'network-unreachable': {
    codes: ['EHOSTUNREACH', 'ENETUNREACH'],
    title: '{peer} is unreachable',
    text: 'This machine has no route to that address: the network is down, or the address belongs to another network (an IPv6 address where only IPv4 works is common).',
  },
  'address-in-use': {
    codes: ['EADDRINUSE'],
    title: '{peer} is already in use',
    text: 'Another process is listening there, often an earlier run of this one. Stop it, or set PORT to another number; 0 picks any free port.',
  },
  certificate: {
    codes: [
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'CERT_HAS_EXPIRED',
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ],
    title: 'The TLS certificate of the other side was rejected',
    text: (error) =>
      `${certificateReason(error.code)} To trust a private authority, set NODE_EXTRA_CA_CERTS; turning verification off exposes every request.`,
  },
  'timed-out': {
    replaces: 'aborted',
    className: 'TimeoutError',
    title: 'The work took longer than its time limit',
    text: 'A signal with a time limit ended it. The timeline shows what took long.',
  },
  aborted: {
    className: 'AbortError',
    title: 'The work was aborted',
    text: 'An AbortSignal ended it: the client went away, or the code that started it no longer needed the result. This is rarely a bug.',
  },
  'file-not-found': {
    codes: ['ENOENT'],
    title: (error) => `File not found: ${propertyText(error, 'path') || 'no path given'}`,
    text: 'It was opened{at}. A relative path starts at the working directory of the process, not at the file that names it: build it from import.meta.dirname.',
  },
  'wrong-kind-of-file': {
    codes: ['EISDIR', 'ENOTDIR'],
    explain: (error) => {
      const path = propertyText(error, 'path') || 'The path'
      const [is, text] =
        error.code === 'EISDIR'
          ? ['is a directory', 'A directory was opened as if it were a file']
          : ['goes through a file', 'One part of the path is a file, not a directory']
      return { title: `${path} ${is}`, text: `${text}${ownPlace(error)}. Check how the path is built.` }
    },
  },
  'permission-denied': {
    codes: ['EACCES', 'EPERM'],
    title: (error) => `Permission denied: ${propertyText(error, 'path') || peerOf(error)}`,
    text: 'The user running this process lacks the permission. Check owner and mode of the file and of every directory above it; ports below 1024 are reserved on many systems.',
  },
  'too-many-open-files': {
    codes: ['EMFILE', 'ENFILE'],
    title: 'Too many open files and sockets',
    text: 'Something opens files or connections without closing them, or opens thousands at once. Close them in finally, use a pool, and check the limit with "ulimit -n".',
  },
  'disk-full': {
    codes: ['ENOSPC', 'EDQUOT'],
    title: 'The disk is full',
    text: 'Free some space. On Linux the same code also means that too many files are being watched (fs.inotify.max_user_watches).',
  },
  'write-after-end': {
    codes: ['ERR_STREAM_WRITE_AFTER_END', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_UNABLE_TO_PIPE'],
    title: 'A stream was written to after its end',
    text: 'The stream had already ended or been destroyed{at}. Await every write before calling end(), and stop producing when the other side closes.',
  },
  'premature-close': {
    codes: ['ERR_STREAM_PREMATURE_CLOSE'],
    title: 'A stream was closed before it was complete',
    text: 'The other side went away, or the source was destroyed without an error. Handle it where the stream is piped; a client that leaves is not a fault of the server.',
  },
  'unhandled-error-event': {
    codes: ['ERR_UNHANDLED_ERROR'],
    title: 'An emitter reported an error and nothing was listening',
    text: 'Add a listener for "error" to the emitter{at}. Without one, Node throws the error.',
  },
}

function certificateReason(code: string | null): string {
  if (code === 'CERT_HAS_EXPIRED') return 'It has expired, or the clock of this machine is wrong.'
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'It was issued for another host name.'
  return 'It was signed by an authority that this process does not know.'
}

export const moduleHints: HintRows = {
  'module-not-found': {
    codes: ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ERR_UNSUPPORTED_DIR_IMPORT'],
    explain: (error) => {
      const wanted = firstGroup(/(?:module|package|import|Directory import) '([^']+)'/, error.message)
      const isFile = wanted.startsWith('/') || wanted.startsWith('.')
      if (isFile)
        return { title: `Module not found: ${basename(wanted)}`, text: `${nearText(wanted)}${pathText(error)}` }
      const text = `Install it with "npm install ${wanted}", or check the spelling. A workspace package must be linked first.`
      return { title: `The package ${wanted} is not installed`, text }
    },
  },
  'missing-export': {
    message: /does not provide an export named/,
    title: (error) => `The module has no export named ${firstGroup(/named '([^']+)'/, error.message)}`,
    text: 'Check the spelling, and whether it is the default export. A type imported without "import type" fails the same way, because types are gone when the code runs.',
  },
  'commonjs-in-module': {
    message: /is not defined in ES module scope/,
    title: (error) => `${firstGroup(/^(\S+)/, error.message)} does not exist in ES modules`,
    text: 'Use import instead of require, export instead of module.exports, import.meta.dirname and import.meta.filename instead of __dirname and __filename.',
  },
  'path-not-exported': {
    codes: ['ERR_PACKAGE_PATH_NOT_EXPORTED'],
    title: 'The package does not export that file',
    text: 'Only paths listed under "exports" in its package.json can be imported. Import the main entry, or look there for the public path.',
  },
  'unsupported-typescript': {
    codes: ['ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX', 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING'],
    title: 'Node cannot run this TypeScript without compiling it',
    text: 'Node only strips types. Enums, parameter properties, namespaces with values and import aliases need a compiler; "erasableSyntaxOnly" in tsconfig.json finds them. Files in node_modules must be JavaScript.',
  },
}

function pathText(error: FlattenedError): string {
  const hasExtension = /\.\w+'/.test(error.message)
  if (hasExtension) return 'The path is relative to the importing file.'
  return 'ES modules are imported with their extension, and a directory by its index file.'
}

function nearText(wanted: string): string {
  const names = nearWords(basename(wanted), siblings(wanted))
  return names.length === 0 ? '' : `Did you mean ${names.join(', ')}? `
}

function siblings(path: string): string[] {
  try {
    const names = readdirSync(dirname(path)).filter((name) => !name.startsWith('.'))
    return names.slice(0, 500)
  } catch {
    return []
  }
}
