import type { Organization } from '@carabiner/sdk'
import { useApiQuery } from '../../../api/use-api-query.ts'
import { useMay, useMembership, useSession } from '../../../shell/use-session.ts'
import { Card } from '../../../ui/card.tsx'
import { Copyable } from '../../../ui/data/copyable.tsx'
import { Details } from '../../../ui/data/details.tsx'
import { RelativeTime } from '../../../ui/data/relative-time.tsx'
import { NotLoaded } from '../../../ui/states/not-loaded.tsx'
import { SettingsPage } from '../settings-page.tsx'
import { ExportAndDeletionCard } from './export-and-deletion-card.tsx'
import { OrganizationForm } from './organization-form.tsx'
import { describePlan } from './plans.ts'

const OrganizationPage = () => {
  const mayManage = useMay('manage')
  const { is_operator: isOperator } = useSession()
  // Also of a suspended organization, which can only be read otherwise.
  const mayDeleteOrganization = useMembership().permissions.includes('manage')
  const { data, error, refetch } = useApiQuery(
    ['organization'],
    (api, options) => api.organization.get(options),
    { mode: 'production' },
  )
  return (
    <SettingsPage title="Organization" note="Name, privacy and linking policy. They apply to both modes.">
      {data ? (
        <>
          <Facts organization={data} />
          <OrganizationForm key={JSON.stringify(data)} saved={data} mayManage={mayManage} />
          {mayDeleteOrganization && (
            <ExportAndDeletionCard organization={data} mayDelete={mayManage || isOperator} />
          )}
        </>
      ) : (
        <Card isFlush>
          <NotLoaded error={error} onRetry={refetch} label="Loading the organization" />
        </Card>
      )}
    </SettingsPage>
  )
}

const Facts = ({ organization: { id, plan, created_at } }: { organization: Organization }) => {
  const { label, calls, records, events } = describePlan(plan)
  return (
    <Card>
      <Details
        entries={[
          ['ID', <Copyable key="id" text={id} label="Copy the ID" />],
          ['Plan', `${label}, ${calls}`],
          ['Retention', `Tool calls and violations ${records}, events and deliveries ${events}`],
          ['Created', <RelativeTime key="created" at={created_at} isAbsolute />],
        ]}
      />
    </Card>
  )
}

export default OrganizationPage
