import { policyBounds, policyEffects } from '@carabiner/contract/policy-bounds'
import { fieldError } from '../../api/field-error.ts'
import { Field } from '../../ui/forms/field.tsx'
import { SelectField } from '../../ui/forms/select-field.tsx'
import { TextField } from '../../ui/forms/text-field.tsx'
import { Textarea } from '../../ui/forms/textarea.tsx'
import { ApproverChoice } from './approver-choice.tsx'
import { ConditionField } from './conditions/condition-field.tsx'
import { HookFields } from './hooks/hook-fields.tsx'
import { mayAsk, type RuleDraft } from './rule-draft.ts'
import { EFFECTS } from './rule-words.ts'
import { ToolChoice } from './tool-choice.tsx'
import type { Issue } from './use-tested-draft.ts'

type Props = {
  values: RuleDraft
  onChange: (changed: Partial<RuleDraft>) => void
  /** Found while the person edits. */
  issues: readonly Issue[]
  /** Of the request that saves. */
  error: unknown
  isDisabled: boolean
}

const EFFECT_OPTIONS = ([...policyEffects, 'hook'] as const).map(value => ({
  value,
  label: EFFECTS[value].label,
  hint: EFFECTS[value].hint,
}))

export const RuleFields = ({ values, onChange, issues, error, isDisabled }: Props) => {
  const issueOf = (field: string): string | undefined =>
    issues.find(({ param }) => param === field || param.startsWith(`${field}.`))?.message ??
    fieldError(error, field)
  return (
    <>
      <TextField
        label="Name"
        hint="Callers see it when the rule denies a call or asks about it."
        error={issueOf('name')}
        required
        maxLength={policyBounds.nameLength}
        value={values.name}
        autoComplete="off"
        onChange={name => onChange({ name })}
      />
      <SelectField
        label="Effect"
        hint={EFFECTS[values.effect].hint}
        value={values.effect}
        options={EFFECT_OPTIONS}
        onChange={effect => onChange({ effect })}
        isDisabled={isDisabled}
      />
      {values.effect === 'hook' && (
        <HookFields values={values} onChange={onChange} error={issueOf('hook.url')} isDisabled={isDisabled} />
      )}
      {mayAsk(values) && (
        <ApproverChoice
          value={values.approvers}
          forMembers={values}
          onChange={onChange}
          isDisabled={isDisabled}
        />
      )}
      <ToolChoice
        value={values.tools}
        onChange={tools => onChange({ tools })}
        error={issueOf('tools')}
        isDisabled={isDisabled}
      />
      <ConditionField
        values={values}
        onChange={onChange}
        issues={issues.filter(({ param }) => param === 'when')}
        isDisabled={isDisabled}
      />
      <Field
        label="Reason (optional)"
        hint={
          values.effect === 'hook'
            ? 'Shown if the hook gives no reason of its own.'
            : 'Shown to the person and to the model whose call the rule denies or asks about.'
        }
      >
        <Textarea
          rows={2}
          value={values.reason}
          maxLength={policyBounds.reasonLength}
          onChange={event => onChange({ reason: event.target.value })}
        />
      </Field>
    </>
  )
}
