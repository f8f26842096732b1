import { getRouteApi } from '@tanstack/react-router'
import { useMay } from '../../shell/use-session.ts'
import { Tabs } from '../../ui/lists/tabs.tsx'
import { Page } from '../../ui/page.tsx'
import { AuditTab } from './audit-tab.tsx'
import { CallsTab } from './calls-tab.tsx'
import { DeliveriesTab } from './deliveries-tab.tsx'
import type { TABS } from './logs-search.ts'

const route = getRouteApi('/o/$organization/$mode/logs')

const LogsPage = () => {
  const { tab = 'calls' } = route.useSearch()
  const navigate = route.useNavigate()
  const mayAudit = useMay('audit')
  return (
    <Page title="Logs" note="Every tool call, webhook delivery and change, newest first.">
      <Tabs<(typeof TABS)[number]>
        label="Logs"
        value={tab === 'audit' && !mayAudit ? 'calls' : tab}
        onChange={next => void navigate({ search: { tab: next } })}
        tabs={[
          { value: 'calls', label: 'Tool calls', content: <CallsTab /> },
          { value: 'deliveries', label: 'Webhook deliveries', content: <DeliveriesTab /> },
          ...(mayAudit ? [{ value: 'audit' as const, label: 'Audit entries', content: <AuditTab /> }] : []),
        ]}
      />
    </Page>
  )
}

export default LogsPage
