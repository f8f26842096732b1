import type { WebhookEndpoint } from '@carabiner/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { useMay } from '../../shell/use-session.ts'
import { Card } from '../../ui/card.tsx'
import { Copyable } from '../../ui/data/copyable.tsx'
import { Details } from '../../ui/data/details.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { Page } from '../../ui/page.tsx'
import { NotLoaded } from '../../ui/states/not-loaded.tsx'
import { DeliveryList } from './delivery-list.tsx'
import { EndpointActions } from './endpoint-actions.tsx'
import { EndpointStatus } from './endpoint-status.tsx'
import { ReplayButton } from './replay-button.tsx'
import { useEndpoint } from './use-webhooks.ts'
import { VerifySnippet } from './verify-snippet.tsx'

const route = getRouteApi('/o/$organization/$mode/webhooks/$endpoint')

const WEBHOOKS = { title: 'Webhooks', path: '/webhooks' } as const

const DISABLED: Record<NonNullable<WebhookEndpoint['disabled_reason']>, string> = {
  gone: 'The receiver responded with 410 Gone. Resume the endpoint to send new events. You can replay the missed ones.',
  attempts_exhausted:
    'All ten attempts at a delivery failed. Fix the receiver, resume the endpoint, then replay what was missed.',
}

const EndpointPage = () => {
  const { endpoint: id } = route.useParams()
  const mayBuild = useMay('build')
  const { data, error, refetch } = useEndpoint(id)
  if (!data)
    return (
      <Page title="Webhook endpoint" parent={WEBHOOKS}>
        <Card isFlush>
          <NotLoaded error={error} onRetry={refetch} label="Loading the endpoint" />
        </Card>
      </Page>
    )
  return (
    <Page
      title={new URL(data.url).host}
      parent={WEBHOOKS}
      note={data.description ?? undefined}
      actions={mayBuild && <EndpointActions endpoint={data} />}
    >
      {data.disabled_reason && (
        <p className="rounded-popup bg-bad-soft px-4 py-3 text-sm text-bad">
          {DISABLED[data.disabled_reason]}
        </p>
      )}
      <Card>
        <EndpointDetails endpoint={data} />
      </Card>
      <Deliveries endpoint={data} mayBuild={mayBuild} />
      <VerifySnippet signature={data.signature} />
    </Page>
  )
}

const EndpointDetails = ({ endpoint }: { endpoint: WebhookEndpoint }) => (
  <Details
    entries={[
      ['Status', <EndpointStatus key="status" status={endpoint.status} />],
      ['URL', <Copyable key="url" text={endpoint.url} />],
      ['Events', endpoint.event_types?.join(', ') ?? 'All'],
      ['Format', endpoint.format === 'batch' ? 'Batches' : 'One event per request'],
      ['Signature', endpoint.signature === 'v1' ? 'HMAC-SHA256' : 'Ed25519'],
      ['Public key', endpoint.public_key && <Copyable key="key" text={endpoint.public_key} />],
      [
        'Last success',
        endpoint.last_success_at ? <RelativeTime key="at" at={endpoint.last_success_at} /> : 'None yet',
      ],
      ['Created', <RelativeTime key="created" at={endpoint.created_at} isAbsolute />],
    ]}
  />
)

const Deliveries = ({ endpoint: { id }, mayBuild }: { endpoint: WebhookEndpoint; mayBuild: boolean }) => {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <DeliveryList
      endpointId={id}
      search={search}
      onSearch={change => void navigate({ search: previous => ({ ...previous, ...change }) })}
      label="Deliveries"
      emptyHint="The next event of the chosen types appears here. Send a test event to check the receiver now."
      heading={<h2 className="me-auto text-base font-semibold">Deliveries</h2>}
      actions={mayBuild && <ReplayButton endpointId={id} />}
    />
  )
}

export default EndpointPage
