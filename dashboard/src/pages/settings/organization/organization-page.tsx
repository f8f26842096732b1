import type { Organization } from '@carabiner/sdk'
import { useApiQuery } from '../../../api/use-api-query.ts'
import { useMay, useMembership, useSession } from '../../../shell/use-session.ts'
import { Card } from '../../../ui/card.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Details } from '../../../ui/data/details.tsx'
import { RelativeTime } from '../../../ui/data/relative-time.tsx'
import { ErrorState } from '../../../ui/states/error-state.tsx'
import { SkeletonRows } from '../../../ui/states/skeleton.tsx'
import { SettingsPage } from '../settings-page.tsx'
import { LeavingCard } from './leaving-card.tsx'
import { OrganizationForm } from './organization-form.tsx'
import { PLANS } from './plans.ts'

const OrganizationPage = () => {
  const mayManage = useMay('manage')
  const { is_operator: isOperator } = useSession()
  // Also of a suspended organization, which can only be read otherwise.
  const mayLeave = useMembership().permissions.includes('manage')
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
          {mayLeave && <LeavingCard organization={data} mayDelete={mayManage || isOperator} />}
        </>
      ) : (
        <Card isFlush>
          {error ? (
            <ErrorState error={error} onRetry={() => void refetch()} />
          ) : (
            <SkeletonRows label="Loading the organization" />
          )}
        </Card>
      )}
    </SettingsPage>
  )
}

const Facts = ({ organization: { id, plan, created_at } }: { organization: Organization }) => {
  const { label, calls, records, events } = PLANS[plan]
  return (
    <Card>
      <Details
        entries={[
          [
            'ID',
            <span key="id" className="-my-1.5 flex items-center gap-1">
              <code className="min-w-0 font-mono text-xs">{id}</code>
              <CopyButton text={id} label="Copy the ID" />
            </span>,
          ],
          ['Plan', `${label}, ${calls} per cycle`],
          ['Retention', `Tool calls and violations ${records}, events and deliveries ${events}`],
          ['Created', <RelativeTime key="created" at={created_at} isAbsolute />],
        ]}
      />
    </Card>
  )
}

export default OrganizationPage
