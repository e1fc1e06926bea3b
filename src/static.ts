// The public entry `fanlight/static`: files of a folder, for paths that no route takes, and a file as the reply of a handler.

export { fileReply, type FileReplyOptions } from './app/plugins/static-files.ts'
export { staticFiles, type StaticFilesOptions } from './app/plugins/static-files.ts'
export type { FileOptions } from './app/plugins/static-files.ts'
