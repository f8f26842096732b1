import { getRouteApi } from '@tanstack/react-router'
import { useMay } from '../../../shell/use-session.ts'
import { Card } from '../../../ui/card.tsx'
import { EmptyState } from '../../../ui/states/empty-state.tsx'
import { SettingsPage } from '../settings-page.tsx'
import { AuditList } from './audit-list.tsx'
import { VerifyChain } from './verify-chain.tsx'

const route = getRouteApi('/o/$organization/$mode/settings/audit-trail')

const AuditPage = () => {
  const mayRead = useMay('audit')
  return mayRead ? (
    <AuditTrail />
  ) : (
    <SettingsPage title="Audit trail">
      <Card isFlush>
        <EmptyState title="Your role cannot read the audit trail">
          Administrators and members with the Security role can. An administrator can change your role.
        </EmptyState>
      </Card>
    </SettingsPage>
  )
}

const AuditTrail = () => {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <SettingsPage
      title="Audit trail"
      note="Who changed what, and from where. Entries form a hash chain that reveals later alterations."
    >
      <VerifyChain />
      <AuditList
        search={search}
        onSearch={(changed, options) =>
          void navigate({ search: previous => ({ ...previous, ...changed }), ...options })
        }
      />
    </SettingsPage>
  )
}

export default AuditPage
