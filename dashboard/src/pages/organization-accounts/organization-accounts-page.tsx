import { Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { AccountList } from '../../accounts/account-list.tsx'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useMay, useMembership } from '../../shell/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'

const LinkAccountDialog = lazy(() => import('./link-account-dialog.tsx'))

const QUERY_KEY = ['organization-accounts']
const REFRESH_WHILE_LINKING_MS = 2000

/** Accounts that are linked once, and shared with users or Tool Packs. */
const OrganizationAccountsPage = () => {
  const mayBuild = useMay('build')
  const { name } = useMembership()
  const [isLinking, setLinking] = useState(false)
  const { data, error, refetch } = useApiQuery(
    QUERY_KEY,
    (api, options) => api.organizationAccounts.list(options),
    isLinking ? { refetchInterval: REFRESH_WHILE_LINKING_MS } : {},
  )
  const link = mayBuild && (
    <Button
      kind="primary"
      icon={<Plus className="size-4" aria-hidden="true" />}
      onClick={() => setLinking(true)}
    >
      Link an account
    </Button>
  )
  return (
    <Page
      title="Organization accounts"
      note="Accounts that belong to no user, such as a shared mailbox. You link one once, and share it with the users or Tool Packs that may use it."
      actions={data && data.data.length > 0 && link}
    >
      <Card isFlush>
        {error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : !data ? (
          <SkeletonRows label="Loading accounts" rows={3} />
        ) : data.registered_user_id === null || data.data.length === 0 ? (
          <EmptyState title="No account yet" action={link}>
            Link an account that agents of several users need. Nobody may use it before you share it.
          </EmptyState>
        ) : (
          <AccountList
            label="Organization accounts"
            accounts={data.data}
            owner={{
              id: data.registered_user_id,
              name,
              isActive: true,
              isOrganization: true,
              queryKey: QUERY_KEY,
            }}
          />
        )}
      </Card>
      <Suspense>
        {isLinking && data && (
          <LinkAccountDialog accounts={data.data} name={name} onClose={() => setLinking(false)} />
        )}
      </Suspense>
    </Page>
  )
}

export default OrganizationAccountsPage
