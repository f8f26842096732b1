import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useMay } from '../../shell/use-session.ts'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { RevocableList } from '../../ui/lists/revocable-list.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'

/** MCP clients that the user has signed in with. Hidden if there are none, because most organizations use keys. */
export const UserGrants = ({ userId }: { userId: string }) => {
  const mayBuild = useMay('build')
  const { data, error } = useApiQuery(
    ['users', 'grants', userId],
    async (api, options) =>
      (await api.registeredUsers.grants.list(userId, { limit: 100 }, options).page()).data,
  )
  const revoke = useApiMutation((api, id: string) => api.registeredUsers.grants.revoke(userId, id), {
    invalidates: [['users', 'grants', userId]],
  })
  if (!error && !data?.length) return null
  return (
    <section className="grid gap-2.5">
      <h3 className="text-sm font-semibold">Signed-in clients</h3>
      {error && <ErrorNote error={error} />}
      <RevocableList
        entries={(data ?? []).map(grant => ({
          id: grant.id,
          // A client states its own name, or none.
          name: grant.client_name || 'Unnamed client',
          details: (
            <>
              allowed <RelativeTime at={grant.created_at} /> · tokens <RelativeTime at={grant.last_used_at} />{' '}
              · expires <RelativeTime at={grant.expires_at} />
            </>
          ),
          isRevocable: mayBuild,
        }))}
        revoke={revoke}
        action="Revoke client"
        consequence="The client is signed out at its next request. The user can sign in again."
      />
    </section>
  )
}
