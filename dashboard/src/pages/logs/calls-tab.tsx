import { getRouteApi } from '@tanstack/react-router'
import { Pause, Play, Radio } from 'lucide-react'
import { type ComponentProps, lazy, Suspense, useMemo, useState } from 'react'
import { useList } from '../../api/use-list.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { OutcomeDot } from '../../ui/data/outcome.tsx'
import { Snippet } from '../../ui/data/snippet.tsx'
import { KnownUserName, UserName } from '../../ui/data/user-name.tsx'
import { MoreRows } from '../../ui/lists/more-rows.tsx'
import { type Column, Table } from '../../ui/lists/table.tsx'
import { idOf, useRowOpener } from '../../ui/lists/use-row-opener.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'
import { filterOf } from './call-filter.ts'
import { CallFilters } from './call-filters.tsx'
import { type CallRow, formatMs, formatTime, rowOfRecord, shownOutcome, toolName } from './call-row.ts'
import { ExportCalls } from './export-calls.tsx'
import { type LiveCalls, MAX_LIVE_ROWS, useLiveCalls } from './use-live-calls.ts'

const CallDrawer = lazy(() => import('./call-drawer.tsx'))
const CompareDialog = lazy(() => import('./compare-dialog.tsx'))
const route = getRouteApi('/o/$organization/$mode/logs')

/** The live tail loads no names: its rows change faster than requests return. */
const columnsOf = (isLive: boolean): readonly Column<CallRow>[] => [
  {
    id: 'tool',
    header: 'Tool',
    cell: call => <code className="font-mono text-xs font-medium">{toolName(call)}</code>,
  },
  {
    id: 'outcome',
    header: 'Outcome',
    cell: call => <OutcomeDot {...shownOutcome(call)} />,
  },
  {
    id: 'user',
    header: 'User',
    isWide: true,
    cell: ({ userId }) => (isLive ? <KnownUserName id={userId} /> : <UserName id={userId} />),
  },
  {
    id: 'provider',
    header: 'Provider',
    align: 'end',
    isWide: true,
    cell: ({ providerMs }) => <span className="whitespace-nowrap">{formatMs(providerMs)}</span>,
  },
  {
    id: 'time',
    header: 'Time',
    align: 'end',
    isWide: true,
    cell: ({ startedAt }) => (
      <time dateTime={startedAt} title={`${startedAt} (UTC)`} className="font-mono text-xs whitespace-nowrap">
        {formatTime(startedAt)}
      </time>
    ),
  },
]

export const CallsTab = () => {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  // The start of a relative period is fixed, or every rendering would load another list.
  const [now] = useState(() => Date.now())
  const [isPaused, setPaused] = useState(false)
  const isLive = search.live !== undefined
  const filter = useMemo(() => filterOf(search, now), [search, now])
  const list = useList(
    ['tool-calls', 'list', filter],
    (api, options) => api.toolCalls.list(filter, options),
    {
      enabled: !isLive,
    },
  )
  const live = useLiveCalls(filter, isLive, isPaused)
  const rows = useMemo(
    () => (isLive ? live.rows : list.rows.map(rowOfRecord)),
    [isLive, live.rows, list.rows],
  )
  const columns = useMemo(() => columnsOf(isLive), [isLive])
  const setLive = (on: boolean): void => {
    setPaused(false)
    void navigate({ search: previous => ({ ...previous, live: on ? 'on' : undefined }) })
  }
  const { call, compare } = search
  const close = (): void =>
    void navigate({ search: previous => ({ ...previous, call: undefined, compare: undefined }) })
  return (
    <div className="grid gap-4">
      <CallFilters />
      <div className="flex flex-wrap items-center gap-2">
        <Button
          aria-pressed={isLive}
          icon={<Radio className={isLive ? 'size-4 text-good' : 'size-4'} aria-hidden="true" />}
          onClick={() => setLive(!isLive)}
        >
          {isLive ? 'Stop live tail' : 'Live tail'}
        </Button>
        {isLive && <LiveStatus live={live} isPaused={isPaused} onPause={setPaused} />}
        <span className="ms-auto">
          <ExportCalls filter={filter} />
        </span>
      </div>
      {compare !== undefined && call === undefined && (
        <div
          role="status"
          className="flex flex-wrap items-center gap-3 rounded-card bg-info-soft px-4 py-3 text-sm text-info"
        >
          <span className="flex-1">Open a second call to compare the two.</span>
          <Button size="sm" onClick={close}>
            Cancel
          </Button>
        </div>
      )}
      <Card isFlush>
        {isLive ? (
          live.error ? (
            <ErrorState error={live.error} onRetry={() => setLive(false)} />
          ) : rows.length === 0 ? (
            <EmptyState title={live.isConnected ? 'Waiting for calls' : 'Connecting'}>
              Calls appear here as they end. Calls from before are in the list.
            </EmptyState>
          ) : (
            <CallTable rows={rows} columns={columns} openKey={call} />
          )
        ) : list.isPending ? (
          <SkeletonRows label="Loading tool calls" />
        ) : list.error ? (
          <ErrorState error={list.error} onRetry={list.reload} />
        ) : rows.length === 0 && !list.hasMore ? (
          <NoCalls isFiltered={Object.keys(filter).length > 1} />
        ) : (
          <>
            <CallTable
              rows={rows}
              firstIndex={list.firstIndex}
              onMissing={list.loadIndex}
              columns={columns}
              openKey={call}
            />
            <MoreRows list={list} />
          </>
        )}
      </Card>
      <Suspense>
        {call !== undefined &&
          (compare !== undefined && compare !== call ? (
            <CompareDialog first={compare} second={call} onClose={close} />
          ) : (
            <CallDrawer callId={call} onClose={close} />
          ))}
      </Suspense>
    </div>
  )
}

type TableProps = Pick<
  ComponentProps<typeof Table<CallRow>>,
  'rows' | 'firstIndex' | 'onMissing' | 'columns' | 'openKey'
>

const CallTable = (props: TableProps) => (
  <Table label="Tool calls" rowKey={idOf} renderOpener={useRowOpener<CallRow>('call', idOf)} {...props} />
)

type LiveProps = { live: LiveCalls; isPaused: boolean; onPause: (isPaused: boolean) => void }

const LiveStatus = ({ live, isPaused, onPause }: LiveProps) => {
  const Icon = isPaused ? Play : Pause
  return (
    <>
      <Button onClick={() => onPause(!isPaused)} icon={<Icon className="size-4" aria-hidden="true" />}>
        {isPaused ? (live.waiting > 0 ? `Show ${live.waiting.toLocaleString()} new` : 'Resume') : 'Pause'}
      </Button>
      <p className="text-sm text-muted">
        {isPaused
          ? 'Paused.'
          : live.isConnected
            ? `Following. The latest ${MAX_LIVE_ROWS} calls are kept here.`
            : 'Connecting.'}
      </p>
    </>
  )
}

const NoCalls = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <EmptyState title="No calls found">
      No call of this period matches all filters. Choose a longer period, or remove a filter.
    </EmptyState>
  ) : (
    <EmptyState
      title="No tool calls in this period"
      snippet={
        <Snippet
          label="Connect an agent"
          codes={[
            {
              language: 'Claude Code',
              text: `claude mcp add --transport http my-app \\
  ${window.location.origin}/api/v1/tool-packs/TOOL_PACK_ID/registered-users/USER_ID/mcp \\
  --header "Authorization: Bearer $CARABINER_API_KEY"`,
            },
          ]}
        />
      }
    >
      Connect an agent to the MCP URL of a user. Each of its calls appears here.
    </EmptyState>
  )
