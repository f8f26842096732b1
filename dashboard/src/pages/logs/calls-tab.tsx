import { getRouteApi } from '@tanstack/react-router'
import { Pause, Play, Radio } from 'lucide-react'
import { type ComponentProps, lazy, Suspense, useMemo, useState } from 'react'
import { addToClaudeCode } from '../../api/api-snippet.ts'
import { useList } from '../../api/use-list.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { cx } from '../../ui/cx.ts'
import { OutcomeDot } from '../../ui/data/outcome.tsx'
import { Snippet } from '../../ui/data/snippet.tsx'
import { KnownUserName, UserName } from '../../ui/data/user-name.tsx'
import { MoreRows } from '../../ui/lists/more-rows.tsx'
import { type Column, Table } from '../../ui/lists/table.tsx'
import { idOf, useRowOpener } from '../../ui/lists/use-row-opener.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'
import { useMedia } from '../../ui/use-media.ts'
import { filterOf } from './call-filter.ts'
import { CallFilters } from './call-filters.tsx'
import { type CallRow, formatTime, rowOfRecord, shownOutcome, toolName } from './call-row.ts'
import { ExportCalls } from './export-calls.tsx'
import { Duration, TotalTime } from './total-time.tsx'
import { type LiveCalls, MAX_LIVE_ROWS, useLiveCalls } from './use-live-calls.ts'

const CallPanel = lazy(() => import('./call-panel.tsx'))
const CompareDialog = lazy(() => import('./compare-dialog.tsx'))
const route = getRouteApi('/o/$organization/$mode/logs')

/** Wide enough for all columns beside the details. */
const ROOMY = '(width >= 100rem)'

/** The live tail loads no names: its rows change faster than requests return. Its events have the time of the provider only. */
const columnsOf = (isLive: boolean): readonly Column<CallRow>[] => [
  {
    id: 'tool',
    header: 'Tool',
    isFluid: true,
    cell: call => (
      <code className="truncate font-mono text-xs font-medium" title={toolName(call)}>
        {toolName(call)}
      </code>
    ),
  },
  {
    id: 'outcome',
    header: 'Outcome',
    isFluid: true,
    cell: call => <OutcomeDot {...shownOutcome(call)} />,
  },
  {
    id: 'user',
    header: 'User',
    isWide: true,
    cell: ({ userId }) => (isLive ? <KnownUserName id={userId} /> : <UserName id={userId} />),
  },
  {
    id: 'total',
    header: isLive ? 'Provider' : 'Total',
    align: 'end',
    isWide: true,
    cell: call => (isLive ? <Duration ms={call.providerMs} /> : <TotalTime call={call} />),
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

/** A call on a phone: what and how it ended, then who and when. */
const callCard = (call: CallRow) => (
  <span className="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)] gap-1 text-start font-normal">
    <code className="font-mono text-xs font-medium wrap-anywhere">{toolName(call)}</code>
    <OutcomeDot {...shownOutcome(call)} />
    <span className="flex justify-between gap-3 text-xs text-muted">
      <UserName id={call.userId} />
      <time dateTime={call.startedAt} className="font-mono whitespace-nowrap">
        {formatTime(call.startedAt)}
      </time>
    </span>
  </span>
)

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
  const setLive = (on: boolean): void => {
    setPaused(false)
    void navigate({ search: previous => ({ ...previous, live: on ? 'on' : undefined }) })
  }
  const { call, compare } = search
  const isComparing = call !== undefined && compare !== undefined && compare !== call
  const isBeside = call !== undefined && !isComparing
  const isRoomy = useMedia(ROOMY)
  const isNarrow = isBeside && !isRoomy
  const columns = useMemo(
    () => columnsOf(isLive).filter(({ id }) => !isNarrow || (id !== 'user' && id !== 'total')),
    [isLive, isNarrow],
  )
  const at = rows.findIndex(({ id }) => id === call)
  const step = (by: 1 | -1): (() => void) | null => {
    const next = at < 0 ? undefined : rows[at + by]
    return next
      ? () => void navigate({ search: previous => ({ ...previous, call: next.id }), replace: true })
      : null
  }
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
      <div
        className={cx('grid items-start gap-4', isBeside && 'xl:grid-cols-[minmax(0,1fr)_minmax(0,27rem)]')}
      >
        <Card isFlush>
          {isLive ? (
            live.error ? (
              <ErrorState error={live.error} onRetry={() => setLive(false)} />
            ) : rows.length === 0 ? (
              <EmptyState title={live.isConnected ? 'Waiting for calls' : 'Connecting'}>
                New calls appear here. Stop live tail to see earlier ones.
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
          {isBeside && <CallPanel callId={call} onClose={close} onNext={step(1)} onPrevious={step(-1)} />}
          {isComparing && <CompareDialog first={compare} second={call} onClose={close} />}
        </Suspense>
      </div>
    </div>
  )
}

type TableProps = Pick<
  ComponentProps<typeof Table<CallRow>>,
  'rows' | 'firstIndex' | 'onMissing' | 'columns' | 'openKey'
>

const CallTable = (props: TableProps) => (
  <Table
    label="Tool calls"
    rowKey={idOf}
    renderOpener={useRowOpener<CallRow>('call', idOf)}
    card={callCard}
    isDense
    {...props}
  />
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
            ? `Live. The latest ${MAX_LIVE_ROWS} calls stay here.`
            : 'Connecting…'}
      </p>
    </>
  )
}

const NoCalls = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <EmptyState title="No calls found">
      No call in this period matches all filters. Choose a longer period or remove a filter.
    </EmptyState>
  ) : (
    <EmptyState
      title="No tool calls in this period"
      snippet={<Snippet label="Connect an agent" codes={[addToClaudeCode()]} />}
    >
      Connect an agent to a user’s MCP URL. Its calls appear here.
    </EmptyState>
  )
