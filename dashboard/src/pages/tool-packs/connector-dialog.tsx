import type { Connector } from '@carabiner/sdk'
import { useState } from 'react'
import { SelectField } from '../../ui/forms/select-field.tsx'
import { TextField } from '../../ui/forms/text-field.tsx'
import { FormDialog } from '../../ui/overlays/form-dialog.tsx'
import { type RequestDraft, RequestFields, readRequestDraft, requestDraftOf } from './request-fields.tsx'
import type { AccountRule, SaveProblem } from './save-problem.ts'
import type { RequestRules } from './selection.ts'

const RULES = [
  {
    value: 'any',
    label: 'Named if there are several',
    hint: 'Calls must name the account if the user has more than one.',
  },
  {
    value: 'required',
    label: 'Always named',
    hint: 'Calls must name the account even if the user has only one.',
  },
  { value: 'fixed', label: 'Only one account', hint: 'All calls use this account. The model cannot choose.' },
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
  const submit = (): void => {
    if (isComplete) onApply({ requests: read.requests, rule: readRuleDraft(rule) })
  }
  return (
    <FormDialog
      title={`Requests and accounts for ${connector.name}`}
      description="Changes apply to this pack only."
      width="md"
      action="Apply"
      onClose={onClose}
      onSubmit={submit}
      isIncomplete={!isComplete}
    >
      <RequestFields connector={connector} draft={requests} onChange={setRequests} problem={problem} />
      <div className="grid gap-5 border-t border-line pt-5">
        <SelectField
          label="Account for calls"
          hint={RULES.find(({ value }) => value === rule.kind)?.hint}
          value={rule.kind}
          onChange={kind => setRule({ ...rule, kind })}
          options={RULES.map(({ value, label }) => ({ value, label }))}
        />
        {rule.kind === 'fixed' && (
          <TextField
            label="Label or credential ID"
            hint="With a label, a user without such an account is asked to connect one. With a credential ID, exactly this account is used."
            error={problem?.field === 'account' ? problem.message : undefined}
            maxLength={100}
            value={rule.account}
            placeholder="Work"
            autoComplete="off"
            spellCheck={false}
            onChange={value => setRule({ ...rule, account: value })}
          />
        )}
      </div>
    </FormDialog>
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
