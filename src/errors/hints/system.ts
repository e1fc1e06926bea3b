// Hints about what the system refuses: connections, files, disks, streams and emitters; and modules that Node cannot load.

import { byCode, ownPlace, peerOf, propertyText, type BuiltInHint, byMessage, firstGroup } from './hint.ts'
import { readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { nearWords } from '../../base/options/nearest-name.ts'
import type { FlattenedError } from '../flattened-error.ts'

export const systemHints: readonly BuiltInHint[] = [
  {
    name: 'connection-refused',
    matches: byCode('ECONNREFUSED'),
    explain: (error) => ({
      title: `Nothing is listening on ${peerOf(error)}`,
      text:
        `The connection to ${peerOf(error)} was refused: the service is not running, runs on another port, ` +
        'or listens on another address (localhost may mean ::1 or 127.0.0.1). In a container, localhost is ' +
        'the container itself.',
    }),
  },
  {
    name: 'host-not-found',
    matches: byCode('ENOTFOUND', 'EAI_AGAIN'),
    explain: (error) => ({
      title: `The host ${peerOf(error)} cannot be found`,
      text:
        'The name did not resolve. Check its spelling in the configuration; in a container or a cluster, ' +
        'check that the service has that name in this network. EAI_AGAIN means that the resolver itself did ' +
        'not respond.',
    }),
  },
  {
    name: 'connection-timed-out',
    matches: byCode(
      'ETIMEDOUT',
      'UND_ERR_CONNECT_TIMEOUT',
      'UND_ERR_HEADERS_TIMEOUT',
      'UND_ERR_BODY_TIMEOUT',
      'ESOCKETTIMEDOUT',
    ),
    explain: (error) => ({
      title: `${peerOf(error)} did not respond in time`,
      text:
        'No response at all suggests a firewall, a wrong address or an overloaded service. Raise the limit ' +
        'only if the work is known to take that long.',
    }),
  },
  {
    name: 'connection-reset',
    matches: byCode('ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'),
    explain: () => ({
      title: 'The other side closed the connection',
      text:
        'It restarted, closed an idle connection, or rejected what was sent (TLS to a plain port does this). ' +
        'Requests that change nothing can be retried once.',
    }),
  },
  {
    name: 'network-unreachable',
    matches: byCode('EHOSTUNREACH', 'ENETUNREACH'),
    explain: (error) => ({
      title: `${peerOf(error)} is unreachable`,
      text:
        'This machine has no route to that address: the network is down, or the address belongs to another ' +
        'network (an IPv6 address where only IPv4 works is common).',
    }),
  },
  {
    name: 'address-in-use',
    matches: byCode('EADDRINUSE'),
    explain: (error) => ({
      title: `${peerOf(error)} is already in use`,
      text:
        'Another process is listening there, often an earlier run of this one. Stop it, or set PORT to another ' +
        'number; 0 picks any free port.',
    }),
  },
  {
    name: 'certificate',
    matches: byCode(
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'CERT_HAS_EXPIRED',
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ),
    explain: (error) => ({
      title: 'The TLS certificate of the other side was rejected',
      text:
        `${certificateReason(error.code)} To trust a private authority, set NODE_EXTRA_CA_CERTS; ` +
        'turning verification off exposes every request.',
    }),
  },
  {
    name: 'timed-out',
    replaces: 'aborted',
    matches: (error) => error.className === 'TimeoutError',
    explain: () => ({
      title: 'The work took longer than its time limit',
      text: 'A signal with a time limit ended it. The timeline shows what took long.',
    }),
  },
  {
    name: 'aborted',
    matches: (error) => error.className === 'AbortError',
    explain: () => ({
      title: 'The work was aborted',
      text:
        'An AbortSignal ended it: the client went away, or the code that started it no longer needed the ' +
        'result. This is rarely a bug.',
    }),
  },
  {
    name: 'file-not-found',
    matches: byCode('ENOENT'),
    explain: (error) => ({
      title: `File not found: ${propertyText(error, 'path') || 'no path given'}`,
      text:
        `It was opened${ownPlace(error)}. A relative path starts at the working directory of the ` +
        'process, not at the file that names it: build it from import.meta.dirname.',
    }),
  },
  {
    name: 'wrong-kind-of-file',
    matches: byCode('EISDIR', 'ENOTDIR'),
    explain: (error) => {
      const path = propertyText(error, 'path') || 'The path'
      const isDirectory = error.code === 'EISDIR'
      return {
        title: isDirectory ? `${path} is a directory` : `${path} goes through a file`,
        text:
          (isDirectory
            ? 'A directory was opened as if it were a file'
            : 'One part of the path is a file, not a directory') + `${ownPlace(error)}. Check how the path is built.`,
      }
    },
  },
  {
    name: 'permission-denied',
    matches: byCode('EACCES', 'EPERM'),
    explain: (error) => ({
      title: `Permission denied: ${propertyText(error, 'path') || peerOf(error)}`,
      text:
        'The user running this process lacks the permission. Check owner and mode of the file and of every ' +
        'directory above it; ports below 1024 are reserved on many systems.',
    }),
  },
  {
    name: 'too-many-open-files',
    matches: byCode('EMFILE', 'ENFILE'),
    explain: () => ({
      title: 'Too many open files and sockets',
      text:
        'Something opens files or connections without closing them, or opens thousands at once. Close them ' +
        'in finally, use a pool, and check the limit with "ulimit -n".',
    }),
  },
  {
    name: 'disk-full',
    matches: byCode('ENOSPC', 'EDQUOT'),
    explain: () => ({
      title: 'The disk is full',
      text:
        'Free some space. On Linux the same code also means that too many files are being watched ' +
        '(fs.inotify.max_user_watches).',
    }),
  },
  {
    name: 'read-only-disk',
    matches: byCode('EROFS'),
    explain: () => ({
      title: 'The file system is read-only',
      text: 'Containers often mount everything read-only. Write to a volume, or to the temporary directory.',
    }),
  },
  {
    name: 'write-after-end',
    matches: byCode('ERR_STREAM_WRITE_AFTER_END', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_UNABLE_TO_PIPE'),
    explain: (error) => ({
      title: 'A stream was written to after its end',
      text:
        `The stream had already ended or been destroyed${ownPlace(error)}. Await every write before calling ` +
        'end(), and stop producing when the other side closes.',
    }),
  },
  {
    name: 'premature-close',
    matches: byCode('ERR_STREAM_PREMATURE_CLOSE'),
    explain: () => ({
      title: 'A stream was closed before it was complete',
      text:
        'The other side went away, or the source was destroyed without an error. Handle it where the stream ' +
        'is piped; a client that leaves is not a fault of the server.',
    }),
  },
  {
    name: 'unhandled-error-event',
    matches: byCode('ERR_UNHANDLED_ERROR'),
    explain: (error) => ({
      title: 'An emitter reported an error and nothing was listening',
      text: `Add a listener for "error" to the emitter${ownPlace(error)}. Without one, Node throws the error.`,
    }),
  },
]

function certificateReason(code: string | null): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return 'It has expired, or the clock of this machine is wrong.'
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'It was issued for another host name.'
    default:
      return 'It was signed by an authority that this process does not know.'
  }
}

export const moduleHints: readonly BuiltInHint[] = [
  {
    name: 'module-not-found',
    matches: byCode('ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ERR_UNSUPPORTED_DIR_IMPORT'),
    explain: (error) => {
      const wanted = firstGroup(/(?:module|package|import|Directory import) '([^']+)'/, error.message)
      const isFile = wanted.startsWith('/') || wanted.startsWith('.')
      if (isFile)
        return { title: `Module not found: ${basename(wanted)}`, text: `${nearText(wanted)}${pathText(error)}` }
      const text = `Install it with "npm install ${wanted}", or check the spelling. A workspace package must be linked first.`
      return { title: `The package ${wanted} is not installed`, text }
    },
  },
  {
    name: 'missing-export',
    matches: byMessage(/does not provide an export named/),
    explain: (error) => ({
      title: `The module has no export named ${firstGroup(/named '([^']+)'/, error.message)}`,
      text:
        'Check the spelling, and whether it is the default export. A type imported without "import type" ' +
        'fails the same way, because types are gone when the code runs.',
    }),
  },
  {
    name: 'commonjs-in-module',
    matches: byMessage(/is not defined in ES module scope/),
    explain: (error) => ({
      title: `${firstGroup(/^(\S+)/, error.message)} does not exist in ES modules`,
      text:
        'Use import instead of require, export instead of module.exports, import.meta.dirname and ' +
        'import.meta.filename instead of __dirname and __filename.',
    }),
  },
  {
    name: 'path-not-exported',
    matches: byCode('ERR_PACKAGE_PATH_NOT_EXPORTED'),
    explain: () => ({
      title: 'The package does not export that file',
      text:
        'Only paths listed under "exports" in its package.json can be imported. Import the main entry, or ' +
        'look there for the public path.',
    }),
  },
  {
    name: 'unsupported-typescript',
    matches: byCode('ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX', 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING'),
    explain: () => ({
      title: 'Node cannot run this TypeScript without compiling it',
      text:
        'Node only strips types. Enums, parameter properties, namespaces with values and import aliases need ' +
        'a compiler; "erasableSyntaxOnly" in tsconfig.json finds them. Files in node_modules must be JavaScript.',
    }),
  },
]

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
