import type { ToolCallDetail } from '@carabiner/sdk'
import { DiffView } from '../../ui/data/diff-view.tsx'
import { OutcomeDot } from '../../ui/data/outcome.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'
import { useCall } from './call-panel.tsx'
import { formatMs, formatTime, rowOfRecord, shownOutcome, toolName } from './call-row.ts'

type Props = { first: string; second: string; onClose: () => void }

/** Two calls side by side, and the lines in which they differ. */
const CompareDialog = ({ first, second, onClose }: Props) => {
  const [before, after] = [useCall(first), useCall(second)]
  const error = before.error ?? after.error
  return (
    <Dialog isOpen onClose={onClose} title="Compare two calls" width="lg">
      {error ? (
        <ErrorNote error={error} />
      ) : !before.data || !after.data ? (
        <SkeletonRows label="Loading the calls" isInCard={false} />
      ) : (
        <div className="grid gap-5">
          <div className="grid grid-cols-2 gap-3">
            <Side title="First call" call={before.data} />
            <Side title="Second call" call={after.data} />
          </div>
          <Difference name="Call" before={factsOf(before.data)} after={factsOf(after.data)} />
          <Difference name="Arguments" before={before.data.arguments} after={after.data.arguments} />
          <Difference name="Result" before={before.data.result} after={after.data.result} />
        </div>
      )}
    </Dialog>
  )
}

const Side = ({ title, call }: { title: string; call: ToolCallDetail }) => (
  <div className="grid min-w-0 content-start gap-1 rounded-popup border border-line px-3.5 py-3 text-sm">
    <p className="text-xs text-muted">{title}</p>
    <code className="font-mono text-xs font-medium">{toolName(call)}</code>
    <OutcomeDot {...shownOutcome(rowOfRecord(call))} />
    <p className="text-xs text-muted">
      {formatTime(call.started_at)} · provider {formatMs(call.third_party_ms)}
    </p>
  </div>
)

const factsOf = (call: ToolCallDetail) => ({
  tool: toolName(call),
  registered_user_id: call.registered_user_id,
  tool_pack_id: call.tool_pack_id,
  outcome: call.outcome,
  error_code: call.error_code,
  counted: call.counted,
  arguments_bytes: call.arguments_bytes,
  result_bytes: call.result_bytes,
  matches: call.matches,
  headers: call.headers,
})

const Difference = ({ name, before, after }: { name: string; before: unknown; after: unknown }) => {
  const isSame = JSON.stringify(before) === JSON.stringify(after)
  return (
    <section className="grid min-w-0 gap-2">
      <h3 className="text-sm font-semibold">{name}</h3>
      {isSame ? (
        <p className="text-sm text-muted">
          {before === null ? 'Not stored for either call.' : 'No difference.'}
        </p>
      ) : (
        <DiffView label={`${name}: differences`} before={before} after={after} />
      )}
    </section>
  )
}

export default CompareDialog
