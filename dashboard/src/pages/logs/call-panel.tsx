import type { ToolCallDetail } from '@carabiner/sdk'
import { getRouteApi } from '@tanstack/react-router'
import type { ComponentProps } from 'react'
import { useApiQuery } from '../../api/use-api-query.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Copyable } from '../../ui/data/copyable.tsx'
import { Details } from '../../ui/data/details.tsx'
import { JsonView } from '../../ui/data/json-view.tsx'
import { OutcomeDot } from '../../ui/data/outcome.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { UserLink } from '../../ui/data/user-link.tsx'
import { SidePanel } from '../../ui/overlays/side-panel.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { NotLoaded } from '../../ui/states/not-loaded.tsx'
import { ApprovalLink } from './approval-link.tsx'
import { rowOfRecord, shownOutcome, toolName } from './call-row.ts'
import { CallTiming } from './call-timing.tsx'
import { errorWords } from './error-words.ts'
import { RecordedSteps } from './recorded-steps.tsx'

const route = getRouteApi('/o/$organization/$mode/logs')

export const useCall = (id: string) =>
  useApiQuery(['tool-calls', 'one', id], (api, options) => api.toolCalls.get(id, options))

type Props = { callId: string } & Pick<ComponentProps<typeof SidePanel>, 'onClose' | 'onNext' | 'onPrevious'>

/** The details of one call. Its ID is in the URL, so the view can be shared. */
const CallPanel = ({ callId, ...steps }: Props) => {
  const { data: call, error, refetch } = useCall(callId)
  return (
    <SidePanel
      label="Tool call"
      {...steps}
      title={call ? <code className="font-mono text-base">{toolName(call)}</code> : 'Tool call'}
      subtitle={call && <RelativeTime at={call.started_at} isAbsolute />}
      actions={call && <CallActions call={call} />}
    >
      {call ? (
        <CallDetails call={call} />
      ) : (
        <NotLoaded error={error} onRetry={refetch} label="Loading the call" isInCard={false} />
      )}
    </SidePanel>
  )
}

const CallActions = ({ call }: { call: ToolCallDetail }) => {
  const navigate = route.useNavigate()
  const query = new URLSearchParams({
    pack: call.tool_pack_id,
    user: call.registered_user_id,
    tool: toolName(call),
  })
  return (
    <>
      <PageLink path={`/explain?${query}`} className={buttonClass()}>
        {call.outcome === 'success' || call.outcome === 'replayed' ? 'Explain' : 'Would it work now?'}
      </PageLink>
      <PageLink path={`/playground?${query}`} className={buttonClass()}>
        Open in Playground
      </PageLink>
      <Button
        kind="quiet"
        onClick={() =>
          void navigate({ search: previous => ({ ...previous, call: undefined, compare: call.id }) })
        }
      >
        Compare
      </Button>
    </>
  )
}

const CallDetails = ({ call }: { call: ToolCallDetail }) => {
  const words = errorWords(call.error_code, call.outcome)
  const isExplained = call.steps.some(({ status }) => status === 'failed')
  return (
    <>
      <section className="grid gap-1.5">
        <OutcomeDot {...shownOutcome(rowOfRecord(call))} />
        {words && !isExplained && <p className="text-sm text-muted">{words}</p>}
        {call.outcome === 'approval_required' && <ApprovalLink call={call} />}
      </section>
      <RecordedSteps call={call} />
      <CallTiming call={call} />
      <Details
        entries={[
          ['User', <UserLink key="user" id={call.registered_user_id} />],
          ['Account', call.account_label],
          ['Counted', call.counted ? 'Yes, toward the plan' : 'No'],
          ['Call ID', <Copyable key="id" text={call.id} />],
          ['Request ID', <Copyable key="request" text={call.request_id} />],
          ['Trace ID', call.trace_id && <Copyable key="trace" text={call.trace_id} />],
          ['Sizes', sizesOf(call)],
        ]}
      />
      <Payload call={call} />
      {Object.keys(call.headers).length > 0 && (
        <section className="grid gap-2.5">
          <h3 className="text-sm font-semibold">Caller’s headers</h3>
          <JsonView label="Caller’s headers" value={call.headers} />
        </section>
      )}
    </>
  )
}

const sizesOf = ({
  arguments_bytes: given,
  result_bytes: returned,
  view_bytes: viewed,
}: ToolCallDetail): string | null =>
  given === null && returned === null
    ? null
    : `${(given ?? 0).toLocaleString()} bytes sent, ${(returned ?? 0).toLocaleString()} returned${viewed === null ? '' : `, ${viewed.toLocaleString()} after the view`}`

const Payload = ({ call }: { call: ToolCallDetail }) => {
  if (call.payload !== 'kept')
    return (
      <p className="text-sm text-muted">
        {call.payload === 'unreadable' ? (
          'Arguments and result cannot be decrypted. They were altered, or an encryption key is missing.'
        ) : (
          <>
            Arguments and result were not stored. To store those of future calls, turn this on in{' '}
            <PageLink path="/settings/organization" className="underline">
              Settings → Organization
            </PageLink>
            .
          </>
        )}
      </p>
    )
  return (
    <>
      <section className="grid gap-2.5">
        <h3 className="text-sm font-semibold">Arguments</h3>
        <JsonView label="Arguments" value={call.arguments} />
        {call.arguments_truncated && <Truncated />}
      </section>
      <section className="grid gap-2.5">
        <h3 className="text-sm font-semibold">Result</h3>
        <JsonView label="Result" value={call.result} />
        {call.result_truncated && <Truncated />}
      </section>
    </>
  )
}

const Truncated = () => <p className="text-xs text-muted">Truncated to the first 64 KB.</p>

export default CallPanel
