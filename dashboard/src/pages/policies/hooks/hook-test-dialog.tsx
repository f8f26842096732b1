import type { PolicyHookTested, PolicyRule } from '@carabiner/sdk'
import { Button } from '../../../ui/button.tsx'
import { Badge } from '../../../ui/data/badge.tsx'
import { Details } from '../../../ui/data/details.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { ErrorNote } from '../../../ui/states/error-note.tsx'
import { EFFECTS } from '../rule-words.ts'
import { useHookTest } from '../use-policies.ts'

/** Sends a request with example data, and shows what the endpoint has answered. */
const HookTestDialog = ({ rule, onClose }: { rule: PolicyRule; onClose: () => void }) => {
  const send = useHookTest(rule.id)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      width="md"
      title="Send a test request"
      description="The request contains example data and is signed like any other. Its stage is “test”."
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" isBusy={send.isPending} onClick={() => send.mutate(undefined)}>
            Send
          </Button>
        </>
      }
    >
      <div aria-live="polite">
        {send.error && <ErrorNote error={send.error} />}
        {send.data && <Result result={send.data} />}
      </div>
    </Dialog>
  )
}

const Result = ({ result: { decision, reason, error, duration_ms } }: { result: PolicyHookTested }) => (
  <Details
    entries={[
      [
        'Decision',
        <Badge key="decision" tone={decision === null ? 'bad' : EFFECTS[decision].tone}>
          {decision === null ? 'None' : EFFECTS[decision].label}
        </Badge>,
      ],
      ['Reason', reason],
      ['Error', error],
      ['Duration', `${duration_ms} ms`],
    ]}
  />
)

export default HookTestDialog
