import { Field } from '../../../ui/forms/field.tsx'
import { Input } from '../../../ui/forms/input.tsx'
import { Select } from '../../../ui/forms/select.tsx'
import { PLANS } from '../../settings/organization/plans.ts'

export type Plan = keyof typeof PLANS
export type PlanDraft = { plan: Plan; limit: string }

const OPTIONS = (['free', 'starter', 'business', 'enterprise'] as const).map(plan => ({
  value: plan,
  label: PLANS[plan].label,
  hint: `${plan === 'enterprise' ? 'No limit of calls' : `${PLANS[plan].calls} per cycle`}, records for ${PLANS[plan].records}`,
}))
const MAX_LIMIT = 2_000_000_000

/** Null: the limit of the plan. Undefined: not a valid number. */
export const readLimit = (text: string): number | null | undefined => {
  const digits = text.replaceAll(/[\s,.]/g, '')
  if (digits === '') return null
  return /^\d{1,10}$/.test(digits) && Number(digits) <= MAX_LIMIT ? Number(digits) : undefined
}

type Props = { draft: PlanDraft; onChange: (draft: PlanDraft) => void }

export const PlanFields = ({ draft: { plan, limit }, onChange }: Props) => (
  <>
    <Field label="Plan" hint={OPTIONS.find(({ value }) => value === plan)?.hint}>
      <Select value={plan} onChange={next => onChange({ plan: next, limit })} options={OPTIONS} />
    </Field>
    <Field
      label="Calls per cycle"
      hint="Optional. Replaces the number of the plan."
      error={readLimit(limit) === undefined ? 'Enter a whole number, or leave it empty.' : undefined}
    >
      <Input
        value={limit}
        inputMode="numeric"
        placeholder={plan === 'enterprise' ? 'No limit' : PLANS[plan].calls.replace(' calls', '')}
        onChange={event => onChange({ plan, limit: event.target.value })}
        autoComplete="off"
      />
    </Field>
  </>
)
