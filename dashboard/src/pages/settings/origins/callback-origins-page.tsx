import type { CallbackOrigin } from '@carabiner/sdk'
import { useState } from 'react'
import { curlPost } from '../../../api/api-snippet.ts'
import { useApiMutation } from '../../../api/use-api-mutation.ts'
import { useApiQuery } from '../../../api/use-api-query.ts'
import { useMay } from '../../../shell/use-session.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { RelativeTime } from '../../../ui/data/relative-time.tsx'
import { Snippet } from '../../../ui/data/snippet.tsx'
import { type Column, Table } from '../../../ui/lists/table.tsx'
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx'
import { EmptyState } from '../../../ui/states/empty-state.tsx'
import { NotLoaded } from '../../../ui/states/not-loaded.tsx'
import { SettingsPage } from '../settings-page.tsx'
import { AddOrigin } from './add-origin.tsx'
import { UrlTester } from './url-tester.tsx'

const CallbackOriginsPage = () => {
  const mayManage = useMay('manage')
  const { data, error, refetch } = useApiQuery(
    ['callback-origins'],
    (api, options) => api.callbackOrigins.list(options),
    { mode: 'production' },
  )
  const [removed, setRemoved] = useState<string | null>(null)
  return (
    <SettingsPage
      title="Allowed callback origins"
      note="Link redirects browsers only to these origins, and only pages on these origins can embed it. The list applies to both modes."
    >
      {mayManage && <AddOrigin />}
      <Card isFlush>
        {data ? (
          data.length === 0 ? (
            <NoOrigins />
          ) : (
            <Table
              label="Allowed callback origins"
              rows={data}
              columns={columnsFor(mayManage, setRemoved)}
              rowKey={({ origin }) => origin}
            />
          )
        ) : (
          <NotLoaded error={error} onRetry={refetch} label="Loading origins" rows={3} />
        )}
      </Card>
      <UrlTester mayManage={mayManage} />
      {removed !== null && <RemoveDialog origin={removed} onClose={() => setRemoved(null)} />}
    </SettingsPage>
  )
}

const NoOrigins = () => (
  <EmptyState
    title="No origins allowed yet"
    snippet={
      <Snippet
        label="Allow an origin"
        codes={[curlPost('/callback-origins', '{"origin": "https://app.example.com"}')]}
      />
    }
  >
    Links end on a page of this service. Allow your application’s origin to send users back to it.
  </EmptyState>
)

const columnsFor = (mayManage: boolean, remove: (origin: string) => void): Column<CallbackOrigin>[] => [
  {
    id: 'origin',
    header: 'Origin',
    sortBy: ({ origin }) => origin,
    cell: ({ origin }) => <code className="font-mono text-xs">{origin}</code>,
  },
  {
    id: 'added',
    header: 'Added',
    isWide: true,
    sortBy: ({ created_at }) => created_at,
    cell: ({ created_at }) => <RelativeTime at={created_at} />,
  },
  ...(mayManage
    ? [
        {
          id: 'actions',
          header: 'Actions',
          isHeaderWide: true,
          align: 'end' as const,
          cell: ({ origin }: CallbackOrigin) => (
            <Button size="sm" kind="quiet" onClick={() => remove(origin)} aria-label={`Remove ${origin}`}>
              Remove
            </Button>
          ),
        },
      ]
    : []),
]

const RemoveDialog = ({ origin, onClose }: { origin: string; onClose: () => void }) => {
  const remove = useApiMutation((api, removed: string) => api.callbackOrigins.remove(removed), {
    invalidates: [['callback-origins']],
    onSuccess: onClose,
    mode: 'production',
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      onConfirm={() => remove.mutate(origin)}
      title="Remove this origin?"
      action="Remove origin"
      request={remove}
    >
      New links with a callback URL on <code className="font-mono text-xs">{origin}</code> are rejected, and
      links that are open now end on a page of this service. Pages on this origin can no longer embed Link.
    </ConfirmDialog>
  )
}

export default CallbackOriginsPage
