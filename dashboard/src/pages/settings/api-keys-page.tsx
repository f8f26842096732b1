import type { ApiKey } from '@carabiner/sdk'
import { Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useMay } from '../../shell/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Badge } from '../../ui/data/badge.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { type Column, Table } from '../../ui/lists/table.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'
import type { Asked } from './key-dialogs.tsx'
import { SettingsPage } from './settings-page.tsx'
import { useApiKeys } from './use-api-keys.ts'

const KeyDialogs = lazy(() => import('./key-dialogs.tsx'))

const ApiKeysPage = () => {
  const mayManage = useMay('manage')
  const { data, error, refetch } = useApiKeys()
  const [asked, setAsked] = useState<Asked | null>(null)
  return (
    <SettingsPage
      title="API keys"
      note="Your backend sends a key with every request. Keep them on the server, never in a browser or an app."
      actions={
        mayManage && (
          <Button
            kind="primary"
            icon={<Plus className="size-4" aria-hidden="true" />}
            onClick={() => setAsked({ action: 'create' })}
          >
            Create a test key
          </Button>
        )
      }
    >
      <Card isFlush>
        {data ? (
          <Table
            label="API keys"
            rows={data}
            columns={columnsFor(mayManage, setAsked)}
            rowKey={({ id }) => id}
          />
        ) : error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <SkeletonRows label="Loading keys" rows={3} />
        )}
      </Card>
      <Suspense>
        {asked && <KeyDialogs asked={asked} onClose={() => setAsked(null)} onChange={setAsked} />}
      </Suspense>
    </SettingsPage>
  )
}

const columnsFor = (mayManage: boolean, ask: (asked: Asked) => void): Column<ApiKey>[] => [
  {
    id: 'name',
    header: 'Name',
    sortBy: ({ name }) => name,
    cell: ({ name }) => <b className="font-medium">{name}</b>,
  },
  {
    id: 'mode',
    header: 'Mode',
    cell: ({ mode, last_used_at }) => (
      <span className="grid justify-items-start gap-1">
        {mode === 'test' ? <Badge tone="accent">Test</Badge> : <Badge>Production</Badge>}
        <span className="text-xs text-muted md:hidden">
          <LastUse at={last_used_at} />
        </span>
      </span>
    ),
  },
  {
    id: 'hint',
    header: 'Key',
    isWide: true,
    cell: ({ hint }) => <code className="font-mono text-xs">{hint}</code>,
  },
  {
    id: 'created',
    header: 'Created',
    isWide: true,
    sortBy: ({ created_at }) => created_at,
    cell: ({ created_at }) => <RelativeTime at={created_at} />,
  },
  {
    id: 'used',
    header: 'Last used',
    isWide: true,
    sortBy: ({ last_used_at }) => last_used_at ?? '',
    cell: ({ last_used_at }) => <LastUse at={last_used_at} />,
  },
  ...(mayManage
    ? [
        {
          id: 'actions',
          header: 'Actions',
          isHeaderWide: true,
          align: 'end' as const,
          cell: (key: ApiKey) => (
            <span className="flex flex-wrap justify-end gap-1.5">
              <Button
                size="sm"
                onClick={() => ask({ action: 'regenerate', key })}
                aria-label={`Regenerate ${key.name}`}
              >
                Regenerate
              </Button>
              {key.mode === 'test' && (
                <Button
                  size="sm"
                  kind="quiet"
                  onClick={() => ask({ action: 'revoke', key })}
                  aria-label={`Revoke ${key.name}`}
                >
                  Revoke
                </Button>
              )}
            </span>
          ),
        },
      ]
    : []),
]

const LastUse = ({ at }: { at: string | null }) => (at === null ? 'Never' : <RelativeTime at={at} />)

export default ApiKeysPage
