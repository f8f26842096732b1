import { MAX_CALL_LIMIT, type Plan, planLimits, plans } from '@carabiner/contract/plans'
import { SelectField } from '../../../ui/forms/select-field.tsx'
import { TextField } from '../../../ui/forms/text-field.tsx'
import { describePlan } from '../../settings/organization/plans.ts'

export type PlanDraft = { plan: Plan; limit: string }

const OPTIONS = plans.map(plan => {
  const { label, calls, records } = describePlan(plan)
  return { value: plan, label, hint: `Records for ${records}, ${calls}` }
})

/** Null: the limit of the plan. Undefined: not a valid number. */
export const readLimit = (text: string): number | null | undefined => {
  const digits = text.replaceAll(/[\s,.]/g, '')
  if (digits === '') return null
  return /^\d{1,10}$/.test(digits) && Number(digits) <= MAX_CALL_LIMIT ? Number(digits) : undefined
}

type Props = { draft: PlanDraft; onChange: (draft: PlanDraft) => void }

export const PlanFields = ({ draft: { plan, limit }, onChange }: Props) => (
  <>
    <SelectField
      label="Plan"
      hint={OPTIONS.find(({ value }) => value === plan)?.hint}
      value={plan}
      onChange={next => onChange({ plan: next, limit })}
      options={OPTIONS}
    />
    <TextField
      label="Calls per cycle"
      hint="Optional. Overrides the plan’s limit."
      error={readLimit(limit) === undefined ? 'Enter a whole number, or leave it empty.' : undefined}
      value={limit}
      inputMode="numeric"
      placeholder={planLimits[plan].calls?.toLocaleString() ?? 'No limit'}
      onChange={value => onChange({ plan, limit: value })}
      autoComplete="off"
    />
  </>
)
