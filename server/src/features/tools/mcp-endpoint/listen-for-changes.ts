import { Refusal } from '../../../core/refusal.ts'
import type { Database } from '../../../platform/database/database.ts'
import { type SessionCaller, standingStore } from '../admission/caller-standing-store.ts'
import type { McpResponder } from '../mcp-protocol/response.ts'
import type { OpenStreams } from '../requested-calls/open-streams.ts'
import { requireActiveCaller } from '../steps/require-caller.ts'

export const TOOLS_CHANGED = 'notifications/tools/list_changed'

type Told = { onOpen: () => void; onChange: () => void }

/** Stays open until the client disconnects, its key, user or pack becomes invalid, or the service stops. */
export const listenForChanges = async (
  { db, openStreams }: { db: Database; openStreams: OpenStreams },
  caller: SessionCaller,
  { canStream, disconnected }: McpResponder,
  { onOpen, onChange }: Told,
): Promise<void> => {
  const standing = requireActiveCaller(await standingStore.read(db, caller))
  if (!canStream) throw new Refusal('stream_required', { param: 'Accept' })
  const listener = { ...caller, organizationId: standing.organizationId }
  await new Promise<void>((resolve, reject) => {
    const stop = openStreams.listen(listener, onChange, resolve)
    if (!stop) return reject(new Refusal('rate_limited', { retryAfterSeconds: 10 }))
    onOpen()
    const leave = () => {
      stop()
      resolve()
    }
    if (disconnected.aborted) leave()
    else disconnected.addEventListener('abort', leave)
  })
}
