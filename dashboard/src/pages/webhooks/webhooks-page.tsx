import type { NewWebhookEndpoint, WebhookEndpoint } from '@carabiner/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { curlPost } from '../../api/api-snippet.ts'
import { useScope } from '../../api/use-api.ts'
import { useMay } from '../../shell/use-session.ts'
import { AddButton } from '../../ui/add-button.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { Snippet } from '../../ui/data/snippet.tsx'
import { ListCard } from '../../ui/lists/list-card.tsx'
import type { Column } from '../../ui/lists/table.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { EndpointStatus } from './endpoint-status.tsx'
import { useEndpoints } from './use-webhooks.ts'

const EndpointForm = lazy(() => import('./endpoint-form.tsx'))
const EndpointSecretDialog = lazy(() => import('./endpoint-secret-dialog.tsx'))
const route = getRouteApi('/o/$organization/$mode/webhooks')

const COLUMNS: readonly Column<WebhookEndpoint>[] = [
  {
    id: 'url',
    header: 'Endpoint',
    cell: ({ url, description }) => (
      <span className="grid">
        <span className="break-all">{url}</span>
        {description && <span className="text-xs font-normal text-muted">{description}</span>}
      </span>
    ),
  },
  {
    id: 'types',
    header: 'Events',
    isWide: true,
    cell: ({ event_types: types }) =>
      types === null ? 'All' : types.length === 1 ? types[0] : `${types.length} types`,
  },
  { id: 'status', header: 'Status', cell: ({ status }) => <EndpointStatus status={status} /> },
  {
    id: 'success',
    header: 'Last success',
    align: 'end',
    isWide: true,
    cell: ({ last_success_at: at }) =>
      at ? <RelativeTime at={at} /> : <span className="text-muted">None yet</span>,
  },
]

const WebhooksPage = () => {
  const mayBuild = useMay('build')
  const scope = useScope()
  const navigate = route.useNavigate()
  const list = useEndpoints()
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<NewWebhookEndpoint | null>(null)
  const create = mayBuild && <AddButton onClick={() => setCreating(true)}>Add endpoint</AddButton>
  return (
    <Page
      title="Webhooks"
      note={`Signed events from ${scope.mode === 'test' ? 'test' : 'production'} mode, sent to your systems. A delivery is attempted up to ten times within 75 hours.`}
      actions={
        <>
          <Link to="/o/$organization/$mode/webhooks/event-types" params={scope} className={buttonClass()}>
            Event types
          </Link>
          {create}
        </>
      }
    >
      <ListCard
        list={list}
        loading={{ label: 'Loading endpoints', rows: 3 }}
        empty={<NoEndpoints />}
        label="Webhook endpoints"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        renderOpener={({ id }, content, className) => (
          <Link
            to="/o/$organization/$mode/webhooks/$endpoint"
            params={{ ...scope, endpoint: id }}
            className={className}
          >
            {content}
          </Link>
        )}
      />
      <Suspense>
        {isCreating && (
          <EndpointForm
            onClose={() => setCreating(false)}
            onCreated={endpoint => {
              setCreating(false)
              setCreated(endpoint)
            }}
          />
        )}
        {created && (
          <EndpointSecretDialog
            endpoint={created}
            onClose={() =>
              void navigate({
                to: '/o/$organization/$mode/webhooks/$endpoint',
                params: { ...scope, endpoint: created.id },
              })
            }
          />
        )}
      </Suspense>
    </Page>
  )
}

const NoEndpoints = () => (
  <EmptyState
    title="No endpoints yet"
    snippet={
      <Snippet
        label="Add an endpoint"
        codes={[
          curlPost(
            '/webhook-endpoints',
            '{"url": "https://example.com/webhooks", "event_types": ["credential.needs_reauth"]}',
          ),
        ]}
      />
    }
  >
    Add a URL of your application to be notified when an account is connected or must be reconnected.
  </EmptyState>
)

export default WebhooksPage
