import { lazy, Suspense, useState } from 'react'
import { AccountList } from '../../accounts/account-list.tsx'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useMay, useMembership } from '../../shell/use-session.ts'
import { AddButton } from '../../ui/add-button.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { NotLoaded } from '../../ui/states/not-loaded.tsx'

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
  const link = mayBuild && <AddButton onClick={() => setLinking(true)}>Link account</AddButton>
  return (
    <Page
      title="Organization accounts"
      note="Accounts that belong to no single user, such as a shared mailbox. Link one once, then share it with users or Tool Packs."
      actions={data && data.data.length > 0 && link}
    >
      <Card isFlush>
        {error || !data ? (
          <NotLoaded error={error} onRetry={refetch} label="Loading accounts" rows={3} />
        ) : data.registered_user_id === null || data.data.length === 0 ? (
          <EmptyState title="No accounts yet" action={link}>
            Link an account that several users’ agents need. Nobody can use it until you share it.
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
