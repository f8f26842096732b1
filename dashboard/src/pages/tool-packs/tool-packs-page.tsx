import type { ToolPack } from '@carabiner/sdk'
import { Link, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useScope } from '../../api/use-api.ts'
import { useToolPacks } from '../../api/use-tool-packs.ts'
import { useMay } from '../../shell/use-session.ts'
import { AddButton } from '../../ui/add-button.tsx'
import { Card } from '../../ui/card.tsx'
import { Badge } from '../../ui/data/badge.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { type Column, Table } from '../../ui/lists/table.tsx'
import { Page } from '../../ui/page.tsx'
import { NotLoaded } from '../../ui/states/not-loaded.tsx'

const CreatePackDialog = lazy(() => import('./create-pack-dialog.tsx'))

const COLUMNS: readonly Column<ToolPack>[] = [
  {
    id: 'name',
    header: 'Tool Pack',
    sortBy: ({ name }) => name,
    cell: ({ name }) => name,
  },
  {
    id: 'contents',
    header: 'Contents',
    cell: pack => (
      <span className="flex flex-wrap items-center gap-2">
        {describeContents(pack)} {pack.is_default && <Badge tone="info">Default</Badge>}
      </span>
    ),
  },
  {
    id: 'description',
    header: 'Description',
    isWide: true,
    cell: ({ description }) => description || <span className="text-faint">–</span>,
  },
  {
    id: 'updated',
    header: 'Changed',
    align: 'end',
    isWide: true,
    sortBy: ({ updated_at }) => updated_at,
    cell: ({ updated_at }) => <RelativeTime at={updated_at} />,
  },
]

const describeContents = ({ connectors }: ToolPack): string => {
  if (connectors === null) return 'All connectors'
  if (connectors.length === 0) return 'Nothing'
  return connectors.length === 1 ? '1 connector' : `${connectors.length} connectors`
}

const ToolPacksPage = () => {
  const mayBuild = useMay('build')
  const scope = useScope()
  const navigate = useNavigate()
  const { data, error, refetch } = useToolPacks()
  const [isCreating, setCreating] = useState(false)
  return (
    <Page
      title="Tool Packs"
      note="A pack defines what an agent can use: connectors, their tools, and how the model sees them. Test and production share packs."
      actions={mayBuild && <AddButton onClick={() => setCreating(true)}>Create Tool Pack</AddButton>}
    >
      <Card isFlush>
        {data ? (
          <Table
            label="Tool Packs"
            rows={data}
            columns={COLUMNS}
            rowKey={({ id }) => id}
            renderOpener={({ id }, content, className) => (
              <Link
                to="/o/$organization/$mode/tool-packs/$packId"
                params={{ ...scope, packId: id }}
                className={className}
              >
                {content}
              </Link>
            )}
          />
        ) : (
          <NotLoaded error={error} onRetry={refetch} label="Loading Tool Packs" rows={3} />
        )}
      </Card>
      <Suspense>
        {isCreating && (
          <CreatePackDialog
            onClose={() => setCreating(false)}
            onCreated={({ id }) =>
              void navigate({
                to: '/o/$organization/$mode/tool-packs/$packId',
                params: { ...scope, packId: id },
              })
            }
          />
        )}
      </Suspense>
    </Page>
  )
}

export default ToolPacksPage
