import type { NewWebhookEndpoint, WebhookEndpoint } from '@carabiner/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useScope } from '../../api/use-api.ts'
import { useMay } from '../../shell/use-session.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { Snippet } from '../../ui/data/snippet.tsx'
import { ListCard } from '../../ui/lists/list-card.tsx'
import type { Column } from '../../ui/lists/table.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { EndpointStatus } from './endpoint-status.tsx'
import { useEndpoints } from './use-webhooks.ts'

const EndpointForm = lazy(() => import('./endpoint-form.tsx'))
const SecretDialog = lazy(() => import('./secret-dialog.tsx'))
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
  const create = mayBuild && (
    <Button
      kind="primary"
      icon={<Plus className="size-4" aria-hidden="true" />}
      onClick={() => setCreating(true)}
    >
      Add an endpoint
    </Button>
  )
  return (
    <Page
      title="Webhooks"
      note={`Events of ${scope.mode === 'test' ? 'test' : 'production'} mode, sent to your own systems and signed. A delivery gets ten attempts within 75 hours.`}
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
            search={{ status: 'all' }}
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
          <SecretDialog
            endpoint={created}
            onClose={() =>
              void navigate({
                to: '/o/$organization/$mode/webhooks/$endpoint',
                params: { ...scope, endpoint: created.id },
                search: { status: 'all' },
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
          {
            language: 'curl',
            text: `curl ${window.location.origin}/api/v1/webhook-endpoints \\
  -H "Authorization: Bearer $CARABINER_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"url": "https://example.com/webhooks", "event_types": ["credential.needs_reauth"]}'`,
          },
        ]}
      />
    }
  >
    Add a URL of your application that learns when an account is connected or has to be connected again.
  </EmptyState>
)

export default WebhooksPage
