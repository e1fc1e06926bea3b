// Writes twenty batches of eight profiles to a store and says what became of each: `ok` with its tokens, or `failed` with the
// reason. A failure is the store's answer, and it goes on. Run by store-io.ts, under strace.

import { openEngine } from '../../src/app/open-engine.ts'
import { makePageProfile } from '../../test/support/profiles.ts'

const engine = await openAtLast()
for (let batch = 0; batch < 20; batch += 1) {
  const profiles = Array.from({ length: 8 }, (_, index) => makePageProfile(batch * 8 + index))
  try {
    await engine.profiles.write(profiles)
    console.log(`ok ${profiles.map(({ token }) => token).join(' ')}`)
  } catch (error) {
    console.log(`failed ${String(error)}`)
  }
}
await engine.close().catch((error: unknown) => console.log(`failed to close ${String(error)}`))

/** A store that cannot be opened is refused with a message, which is not a crash; then there is nothing to write to. */
async function openAtLast(): ReturnType<typeof openEngine> {
  try {
    return await openEngine(`sqlite:${process.argv[2]}`)
  } catch (error) {
    console.log(`failed to open ${String(error)}`)
    process.exit(0)
  }
}
