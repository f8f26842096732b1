import type { ApiKey } from '@carabiner/sdk'
import type { ReactNode } from 'react'
import { RelativeTime } from '../../../ui/data/relative-time.tsx'
import { type Column, Table } from '../../../ui/lists/table.tsx'
import { KeyActions } from './key-actions.tsx'
import { Creator, KeyExpiry, KeyName, LastUse } from './key-cells.tsx'
import type { KeyAction } from './key-dialogs.tsx'
import { describeAccess, isLastPermanent, keyState, orderKeys } from './key-rows.ts'

type Props = { keys: readonly ApiKey[]; mayManage: boolean; onAction: (dialog: KeyAction) => void }

/** Rolled keys follow the key that replaces them. */
export const KeyTable = ({ keys, mayManage, onAction }: Props) => {
  const actions = (key: ApiKey): ReactNode =>
    mayManage && <KeyActions apiKey={key} isLast={isLastPermanent(key, keys)} onAction={onAction} />
  return (
    <Table
      label="API keys"
      rows={orderKeys(keys)}
      columns={mayManage ? [...COLUMNS, actionsColumn(actions)] : COLUMNS}
      card={key => <KeyCard apiKey={key} actions={actions(key)} />}
      rowKey={({ id }) => id}
    />
  )
}

/** A rolled key has the access of the key above it. */
const unlessRolled = (cell: (key: ApiKey) => ReactNode) => (key: ApiKey) =>
  key.replaced_by === null ? cell(key) : null

const COLUMNS: Column<ApiKey>[] = [
  { id: 'name', header: 'Name', cell: key => <KeyName apiKey={key} /> },
  { id: 'access', header: 'Access', cell: unlessRolled(describeAccess) },
  {
    id: 'created',
    header: 'Created',
    cell: unlessRolled(key => (
      <span className="grid gap-0.5">
        <RelativeTime at={key.created_at} />
        <span className="text-xs text-muted">
          by <Creator by={key.created_by} />
        </span>
      </span>
    )),
  },
  {
    id: 'used',
    // Stays on one line.
    header: 'Last\u00a0used',
    cell: ({ last_used_at }) => <LastUse at={last_used_at} />,
  },
  { id: 'expires', header: 'Expires', cell: key => <KeyExpiry apiKey={key} /> },
]

const actionsColumn = (actions: (key: ApiKey) => ReactNode): Column<ApiKey> => ({
  id: 'actions',
  header: 'Actions',
  align: 'end',
  cell: actions,
})

/** A key on a phone. Nothing of it is left out. */
const KeyCard = ({ apiKey, actions }: { apiKey: ApiKey; actions: ReactNode }) => (
  <span className="grid gap-2">
    <KeyName apiKey={apiKey} />
    <span className="flex items-end justify-between gap-2">
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-3 gap-y-1 text-xs">
        {apiKey.replaced_by === null && (
          <>
            <Fact name="Access">{describeAccess(apiKey)}</Fact>
            <Fact name="Created">
              <RelativeTime at={apiKey.created_at} /> by <Creator by={apiKey.created_by} />
            </Fact>
          </>
        )}
        <Fact name="Last used">
          <LastUse at={apiKey.last_used_at} />
        </Fact>
        <Fact name={keyState(apiKey, Date.now()) === 'rolled' ? 'Overlap' : 'Expires'}>
          <KeyExpiry apiKey={apiKey} />
        </Fact>
      </dl>
      {actions}
    </span>
  </span>
)

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="contents">
    <dt className="text-muted">{name}</dt>
    <dd>{children}</dd>
  </div>
)
