// The public entry `fanlight/static`: files of a folder, for paths that no route takes, and a file as the reply of a handler.

export { fileReply, type FileReplyOptions } from './http/plugins/static/send-file.ts'
export { staticFiles, type StaticFilesOptions } from './http/plugins/static/plugin.ts'
export type { FileOptions } from './http/plugins/static/send-file.ts'
