import type { McpToolsState, PendingToolsImpact } from '@carabiner/sdk'
import { useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useConnectorTools } from '../../api/use-connectors.ts'
import { useMay } from '../../shell/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { Badge } from '../../ui/data/badge.tsx'
import { DiffView } from '../../ui/data/diff-view.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { Select } from '../../ui/forms/select.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { NotLoaded } from '../../ui/states/not-loaded.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'

type Pending = NonNullable<McpToolsState['pending']>
type Tool = McpToolsState['tools'][number]
const SHARED = { mode: 'production' } as const

/** Changed tools wait here. Until they are accepted, agents see the accepted ones. */
export const PendingTools = ({ slug }: { slug: string }) => {
  const mayBuild = useMay('build')
  const { data, error, refetch } = useConnectorTools(slug)
  const check = useApiMutation((api, one: string) => api.mcpConnectors.checkTools(one), {
    ...SHARED,
    invalidates: [['connectors']],
  })
  if (error || !data)
    return <NotLoaded error={error} onRetry={refetch} label="Loading changes" isInCard={false} />
  return (
    <div className="grid gap-5">
      {data.pending ? (
        <Review slug={slug} accepted={data.tools} pending={data.pending} />
      ) : (
        <p className="text-sm text-muted">No changes to review. The server is checked once an hour.</p>
      )}
      {mayBuild && (
        <div className="grid gap-2">
          <div>
            <Button isBusy={check.isPending} onClick={() => check.mutate(slug)}>
              Check now
            </Button>
          </div>
          {check.error && <ErrorNote error={check.error} />}
        </div>
      )}
    </div>
  )
}

type ReviewProps = { slug: string; accepted: readonly Tool[]; pending: Pending }

const Review = ({ slug, accepted, pending }: ReviewProps) => {
  const mayBuild = useMay('build')
  const accept = useApiMutation((api, hash: string) => api.mcpConnectors.acceptTools(slug, hash), {
    ...SHARED,
    invalidates: [['connectors']],
    onSuccess: () =>
      toast({ title: 'Changes accepted', description: 'Agents pick them up the next time they list tools.' }),
  })
  const names = [
    ...pending.changed.map(name => ({ name, kind: 'changed' as const })),
    ...pending.added.map(name => ({ name, kind: 'added' as const })),
    ...pending.removed.map(name => ({ name, kind: 'removed' as const })),
  ]
  return (
    <>
      <p className="text-sm">
        The server changed its tools <RelativeTime at={pending.since} />. Calls keep using the previous
        definitions until you accept the changes.
      </p>
      {pending.problems.length > 0 && (
        <ul
          aria-label="Warnings"
          className="grid gap-1 rounded-control bg-warn-soft px-3 py-2.5 text-sm text-warn"
        >
          {pending.problems.map(problem => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      <Impact slug={slug} hash={pending.hash} />
      {names.map(({ name, kind }) => (
        <section key={name} className="grid gap-2">
          <h3 className="flex items-center gap-2 text-sm font-semibold">
            <code className="font-mono text-xs">{name}</code>
            <Badge tone={kind === 'removed' ? 'bad' : kind === 'added' ? 'good' : 'warn'}>
              {KINDS[kind]}
            </Badge>
          </h3>
          <DiffView
            label={`Changes to ${name}`}
            before={shown(accepted.find(tool => tool.name === name))}
            after={shown(pending.tools.find(tool => tool.name === name))}
          />
        </section>
      ))}
      {accept.error && <ErrorNote error={accept.error} />}
      {mayBuild && (
        <div>
          <Button kind="primary" isBusy={accept.isPending} onClick={() => accept.mutate(pending.hash)}>
            Accept changes
          </Button>
        </div>
      )}
    </>
  )
}

const KINDS = { changed: 'Changed', added: 'New', removed: 'Removed' }

const shown = (tool: Tool | undefined): unknown =>
  tool && {
    title: tool.title,
    description: tool.description,
    input_schema: tool.input_schema,
    annotations: tool.annotations,
  }

const PERIODS = [
  { value: '1', label: 'Last day' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
] as const

/** Recorded arguments against the new definitions. */
const Impact = ({ slug, hash }: { slug: string; hash: string }) => {
  const [days, setDays] = useState<'1' | '7' | '30'>('7')
  const { data, error, isFetching } = useApiQuery(
    ['connectors', 'impact', slug, hash, days],
    (api, options) => api.mcpConnectors.pendingImpact(slug, { days: Number(days) }, options),
    { ...SHARED, keepPrevious: true },
  )
  return (
    <section className="grid gap-2.5 rounded-popup border border-line px-3.5 py-3" aria-busy={isFetching}>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="text-sm font-semibold">Would recent calls still work?</h3>
        <div className="w-36">
          <Select label="Period" value={days} onChange={setDays} options={PERIODS} />
        </div>
      </div>
      {error ? (
        <ErrorNote error={error} />
      ) : data ? (
        <ImpactResult impact={data} />
      ) : (
        <SkeletonRows label="Checking recorded calls" rows={1} isInCard={false} />
      )}
    </section>
  )
}

const calls = (count: number): string => (count === 1 ? '1 call' : `${count.toLocaleString()} calls`)

const ImpactResult = ({ impact }: { impact: PendingToolsImpact }) => {
  const {
    calls_checked: checked,
    calls_failing: failing,
    calls_not_checked: unknown,
    is_complete,
    failures,
  } = impact
  return (
    <>
      <p
        role="status"
        className={
          checked === 0
            ? 'text-sm text-muted'
            : failing > 0
              ? 'text-sm font-medium text-bad'
              : 'text-sm font-medium text-good'
        }
      >
        {checked === 0
          ? 'No recorded arguments to check.'
          : failing > 0
            ? `${failing.toLocaleString()} of ${calls(checked)} would fail.`
            : `All ${calls(checked)} would still work.`}
      </p>
      {failures.length > 0 && (
        <ul className="grid gap-1.5 text-sm">
          {failures.map(failure => (
            <li key={`${failure.tool} ${failure.message}`} className="grid gap-0.5">
              <span>
                <code className="font-mono text-xs">{failure.tool}</code>: {failure.message}
              </span>
              <span className="text-xs text-muted">
                {calls(failure.calls)} ·{' '}
                <PageLink
                  path={`/logs?call=${failure.example_tool_call_id}`}
                  className="underline underline-offset-2"
                >
                  see one
                </PageLink>
              </span>
            </li>
          ))}
        </ul>
      )}
      {(unknown > 0 || checked === 0) && (
        <p className="text-xs text-muted">
          {unknown > 0 && `${calls(unknown)} could not be checked. `}
          Arguments are stored only while “Store arguments and results” is on (Settings → Organization).
        </p>
      )}
      {!is_complete && <p className="text-xs text-muted">Only the latest calls were checked.</p>}
    </>
  )
}
