import type { RegisteredUser } from '@carabiner/sdk'
import { lazy, Suspense, useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useMay } from '../../shell/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { Badge } from '../../ui/data/badge.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { RevocableList } from '../../ui/lists/revocable-list.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'

const CreateMcpKey = lazy(() => import('./create-mcp-key.tsx'))

/** Keys for agents on the user's own machine. */
export const UserMcpKeys = ({ user }: { user: RegisteredUser }) => {
  const { id: userId } = user
  const mayBuild = useMay('build')
  const [isCreating, setCreating] = useState(false)
  const { data, error } = useApiQuery(
    ['users', 'mcp-keys', userId],
    async (api, options) =>
      // A user has at most 20 valid keys.
      (await api.registeredUsers.mcpKeys.list(userId, { limit: 100 }, options).page()).data,
  )
  const revoke = useApiMutation((api, id: string) => api.registeredUsers.mcpKeys.revoke(userId, id), {
    invalidates: [['users', 'mcp-keys', userId]],
  })
  return (
    <section className="grid gap-2.5">
      <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h3 className="text-sm font-semibold">MCP keys</h3>
        {mayBuild && user.is_active && (
          <Button size="sm" onClick={() => setCreating(true)}>
            Create MCP key
          </Button>
        )}
      </header>
      {error ? (
        <ErrorNote error={error} />
      ) : !data ? (
        <SkeletonRows label="Loading MCP keys" rows={1} isInCard={false} />
      ) : (
        <>
          {data.length === 0 && (
            <p className="text-sm text-muted">
              No MCP keys. An agent on the user’s own machine needs one, unless it signs the user in.
            </p>
          )}
          <RevocableList
            entries={data.map(key => ({
              id: key.id,
              name: key.name,
              details: (
                <>
                  <code className="font-mono">{key.hint}</code> · <LastUse at={key.last_used_at} /> ·{' '}
                  <Expiry at={key.expires_at} />
                </>
              ),
              isRevocable: mayBuild && Date.parse(key.expires_at) > Date.now(),
            }))}
            revoke={revoke}
            action="Revoke key"
            consequence="The agent that uses it stops working at its next request."
          />
        </>
      )}
      <Suspense>{isCreating && <CreateMcpKey user={user} onClose={() => setCreating(false)} />}</Suspense>
    </section>
  )
}

const LastUse = ({ at }: { at: string | null }) =>
  at === null ? (
    'never used'
  ) : (
    <>
      used <RelativeTime at={at} />
    </>
  )

const Expiry = ({ at }: { at: string }) =>
  Date.parse(at) <= Date.now() ? (
    <Badge>Expired</Badge>
  ) : (
    <>
      expires <RelativeTime at={at} />
    </>
  )
