// Hints about files, disks, streams and emitters.

import { byCode, ownPlace, peerOf, propertyText, type BuiltInHint } from './hint.ts'

export const fileHints: readonly BuiltInHint[] = [
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
