import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useConnectors } from '../../api/use-connectors.ts'
import { useMay } from '../../shell/use-session.ts'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { RevocableList } from '../../ui/lists/revocable-list.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'

/** Actions that run without asking the user again. Hidden if there are none. */
export const UserRemembered = ({ userId }: { userId: string }) => {
  const mayBuild = useMay('build')
  const { data: connectors = [] } = useConnectors({ isComplete: true })
  const { data, error } = useApiQuery(
    ['users', 'remembered', userId],
    async (api, options) =>
      (await api.approvals.listGrants({ registered_user_id: userId, limit: 100 }, options).page()).data,
  )
  const revoke = useApiMutation((api, id: string) => api.approvals.revokeGrant(id), {
    invalidates: [['users', 'remembered', userId]],
  })
  if (!error && !data?.length) return null
  return (
    <section className="grid gap-2.5">
      <h3 className="text-sm font-semibold">Remembered approvals</h3>
      {error && <ErrorNote error={error} />}
      <RevocableList
        entries={(data ?? []).map(grant => {
          const { connector_slug: slug, tool, account_label: label } = grant
          return {
            id: grant.id,
            name: `${connectors.find(each => each.slug === slug)?.name ?? slug}: ${tool}`,
            details: (
              <>
                {label !== null && <>{label} · </>}
                {grant.any_text ? 'any text' : 'same arguments'} · {grant.uses} of {grant.max_uses} calls ·
                expires <RelativeTime at={grant.expires_at} />
              </>
            ),
            isRevocable: mayBuild,
          }
        })}
        revoke={revoke}
        action="Revoke approval"
        consequence="The next call like this asks again."
      />
    </section>
  )
}
