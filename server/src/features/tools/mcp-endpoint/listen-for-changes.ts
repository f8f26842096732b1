import { Refusal } from '../../../core/refusal.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Caller } from '../admission/admission-store.ts'
import { requireCaller } from '../admission/admit-call.ts'
import { standingStore } from '../admission/caller-standing-store.ts'
import type { OpenStreams } from './open-streams.ts'
import type { McpAnswerer } from './response.ts'

export const TOOLS_CHANGED = 'notifications/tools/list_changed'

type Told = { onOpen: () => void; onChange: () => void }

/** Stays open until the client leaves, its key, user or pack is gone, or the service stops. */
export const listenForChanges = async (
  { db, openStreams }: { db: Database; openStreams: OpenStreams },
  caller: Caller,
  { canStream, gone }: McpAnswerer,
  { onOpen, onChange }: Told,
): Promise<void> => {
  const standing = await standingStore.read(db, caller)
  requireCaller(standing)
  if (!standing.user_active) throw new Refusal('user_inactive')
  if (!canStream) throw new Refusal('stream_required', { param: 'Accept' })
  const listener = { ...caller, organizationId: standing.organization_id as string }
  await new Promise<void>((resolve, reject) => {
    const stop = openStreams.listen(listener, onChange, resolve)
    if (!stop) return reject(new Refusal('rate_limited', { retryAfterSeconds: 10 }))
    onOpen()
    const leave = () => {
      stop()
      resolve()
    }
    if (gone.aborted) leave()
    else gone.addEventListener('abort', leave)
  })
}
