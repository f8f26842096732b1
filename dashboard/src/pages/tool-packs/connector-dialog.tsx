import type { Connector } from '@carabiner/sdk'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Input } from '../../ui/forms/input.tsx'
import { Select } from '../../ui/forms/select.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { DialogActions } from '../../ui/overlays/dialog-actions.tsx'
import { type RequestDraft, RequestFields, readRequestDraft, requestDraftOf } from './request-fields.tsx'
import type { AccountRule, SaveProblem } from './save-problem.ts'
import type { RequestRules } from './selection.ts'

const RULES = [
  {
    value: 'any',
    label: 'Named if there are several',
    hint: 'A call names the account if the user has more than one.',
  },
  {
    value: 'required',
    label: 'Always named',
    hint: 'A call names the account, even if the user has only one.',
  },
  { value: 'fixed', label: 'Only one account', hint: 'Calls use this account, and the model has no choice.' },
] as const

export type ConnectorSettings = { requests: RequestRules | undefined; rule: AccountRule | undefined }

type Props = {
  connector: Connector
  settings: ConnectorSettings
  /** What the service has rejected. */
  problem: SaveProblem | null
  onApply: (settings: ConnectorSettings) => void
  onClose: () => void
}

/** Settings of a pack for one connector beside its tools: raw requests, and the accounts that calls use. */
const ConnectorDialog = ({ connector, settings, problem, onApply, onClose }: Props) => {
  const [requests, setRequests] = useState<RequestDraft>(() => requestDraftOf(settings.requests))
  const [rule, setRule] = useState(() => ruleDraftOf(settings.rule))
  const read = readRequestDraft(requests)
  const isComplete = read !== null && (rule.kind !== 'fixed' || rule.account.trim() !== '')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isComplete) onApply({ requests: read.requests, rule: readRuleDraft(rule) })
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      width="md"
      title={`Requests and accounts of ${connector.name}`}
      description="Changes apply to this pack only."
    >
      <form className="grid gap-5" onSubmit={submit}>
        <RequestFields connector={connector} draft={requests} onChange={setRequests} problem={problem} />
        <div className="grid gap-5 border-t border-line pt-5">
          <Field label="Account of a call" hint={RULES.find(({ value }) => value === rule.kind)?.hint}>
            <Select
              value={rule.kind}
              onChange={kind => setRule({ ...rule, kind })}
              options={RULES.map(({ value, label }) => ({ value, label }))}
            />
          </Field>
          {rule.kind === 'fixed' && (
            <Field
              label="Label or credential ID"
              hint="With a label, a user without such an account is asked to connect one. With a credential ID, exactly this account is used."
              error={problem?.field === 'account' ? problem.message : undefined}
            >
              <Input
                maxLength={100}
                value={rule.account}
                placeholder="Work"
                autoComplete="off"
                spellCheck={false}
                onChange={event => setRule({ ...rule, account: event.target.value })}
              />
            </Field>
          )}
        </div>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={!isComplete}>
            Apply
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

type RuleDraft = { kind: (typeof RULES)[number]['value']; account: string }

const ruleDraftOf = (rule: AccountRule | undefined): RuleDraft => {
  if (!rule) return { kind: 'any', account: '' }
  return 'fixed' in rule ? { kind: 'fixed', account: rule.fixed } : { kind: 'required', account: '' }
}

const readRuleDraft = ({ kind, account }: RuleDraft): AccountRule | undefined => {
  if (kind === 'any') return undefined
  return kind === 'fixed' ? { fixed: account.trim() } : { required: true }
}

export default ConnectorDialog
