import type { HookFallback } from '@carabiner/contract'
import { policyBounds } from '@carabiner/contract/policy-bounds'
import { SelectField } from '../../../ui/forms/select-field.tsx'
import { TextField } from '../../../ui/forms/text-field.tsx'
import type { RuleDraft } from '../rule-draft.ts'

type Props = {
  values: Pick<RuleDraft, 'hookUrl' | 'onError'>
  onChange: (changed: Partial<RuleDraft>) => void
  error: string | undefined
  isDisabled: boolean
}

const FALLBACKS: readonly { value: HookFallback; label: string; hint: string }[] = [
  { value: 'deny', label: 'Deny', hint: 'The call does not run.' },
  { value: 'ask', label: 'Ask', hint: 'The call runs once a person has approved it.' },
]

export const HookFields = ({ values, onChange, error, isDisabled }: Props) => (
  <>
    <TextField
      label="Hook URL"
      hint="Must use HTTPS. http://localhost works in development. You get a signing secret when you save."
      error={error}
      required
      type="url"
      maxLength={2048}
      value={values.hookUrl}
      onChange={hookUrl => onChange({ hookUrl })}
      placeholder="https://example.com/decide"
      autoComplete="off"
    />
    <SelectField
      label="If the hook does not answer"
      hint={`Calls wait up to ${policyBounds.hookMs / 1000} seconds for a decision.`}
      value={values.onError}
      options={FALLBACKS}
      onChange={onError => onChange({ onError })}
      isDisabled={isDisabled}
    />
  </>
)
