// What something costs, whatever else the machine is busy with.

/** Milliseconds of the processor, in all threads of this process, from when `work` starts until it is done. */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
