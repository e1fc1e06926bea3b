// Variables that commands of ours pass on to the programs that they start: no settings.

/** Names in the environment. */
export const ownVariables = {
  restarts: 'FANLIGHT_RESTARTS',
  recordFolder: 'FANLIGHT_RECORD_FOLDER',
  devFolder: 'FANLIGHT_DEV_FOLDER',
} as const
