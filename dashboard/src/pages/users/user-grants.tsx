import type { Grant } from '@carabiner/sdk'
import { useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useMay } from '../../shell/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'

/** MCP clients that the user has signed in with. Hidden if there are none, because most organizations use keys. */
export const UserGrants = ({ userId }: { userId: string }) => {
  const mayBuild = useMay('build')
  const [revoking, setRevoking] = useState<Grant | null>(null)
  const { data, error } = useApiQuery(
    ['users', 'grants', userId],
    async (api, options) =>
      (await api.registeredUsers.grants.list(userId, { limit: 100 }, options).page()).data,
  )
  const revoke = useApiMutation((api, id: string) => api.registeredUsers.grants.revoke(userId, id), {
    invalidates: [['users', 'grants', userId]],
    onSuccess: () => setRevoking(null),
  })
  if (!error && !data?.length) return null
  return (
    <section className="grid gap-2.5">
      <h3 className="text-sm font-semibold">Signed-in clients</h3>
      {error && <ErrorNote error={error} />}
      <ul className="divide-y divide-line rounded-popup border border-line">
        {data?.map(grant => (
          <li key={grant.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3.5 py-2.5 text-sm">
            <span className="grid min-w-0 flex-1 gap-0.5">
              <span className="font-medium">{nameOf(grant)}</span>
              <span className="text-xs text-muted">
                allowed <RelativeTime at={grant.created_at} /> · tokens{' '}
                <RelativeTime at={grant.last_used_at} /> · expires <RelativeTime at={grant.expires_at} />
              </span>
            </span>
            {mayBuild && (
              <Button
                size="sm"
                kind="quiet"
                onClick={() => setRevoking(grant)}
                aria-label={`Revoke ${nameOf(grant)}`}
              >
                Revoke
              </Button>
            )}
          </li>
        ))}
      </ul>
      <ConfirmDialog
        isOpen={revoking !== null}
        onClose={() => setRevoking(null)}
        onConfirm={() => revoking && revoke.mutate(revoking.id)}
        title={`Revoke ${revoking ? nameOf(revoking) : 'the client'}?`}
        action="Revoke client"
        isBusy={revoke.isPending}
        error={revoke.error}
      >
        The client is signed out at its next request. The user can sign in again.
      </ConfirmDialog>
    </section>
  )
}

/** A client states its own name, or none. */
const nameOf = ({ client_name: name }: Grant): string => name || 'Unnamed client'
