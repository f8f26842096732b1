import type { RegisteredUser } from '@carabiner/sdk'
import { AccountList } from '../../accounts/account-list.tsx'
import { nameOf } from '../../pickers/user-field.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'
import { useCredentials } from './use-users.ts'

/** The accounts that the user has connected. */
export const UserCredentials = ({ user }: { user: RegisteredUser }) => {
  const { data, error } = useCredentials(user.id)
  return (
    <section className="grid gap-2.5">
      <h3 className="text-sm font-semibold">Connected accounts</h3>
      {error ? (
        <ErrorNote error={error} />
      ) : !data ? (
        <SkeletonRows label="Loading accounts" rows={2} isInCard={false} />
      ) : data.length === 0 ? (
        <p className="text-sm text-muted">
          Nothing connected yet. Send the user a link, or let an agent ask for one.
        </p>
      ) : (
        <div className="rounded-popup border border-line">
          <AccountList
            label="Connected accounts"
            accounts={data}
            owner={{
              id: user.id,
              name: nameOf(user),
              email: user.email,
              isActive: user.is_active,
              isOrganization: false,
              queryKey: ['users', 'credentials', user.id],
            }}
          />
        </div>
      )}
    </section>
  )
}
