import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Checkbox } from '../../ui/forms/checkbox.tsx'
import { TextField } from '../../ui/forms/text-field.tsx'
import { FormDialog } from '../../ui/overlays/form-dialog.tsx'
import { ActionSelect } from './action-select.tsx'
import { readWords, WORDS_HINT, wordsProblem } from './context-words.ts'
import type { CustomRule } from './rule-draft.ts'
import { ACTION_LABELS } from './rule-words.ts'

const MAX_RULES = 50
const NEW: CustomRule = { label: '', pattern: '', inbound_action: 'log', outbound_action: 'redact' }

type Props = { rules: readonly CustomRule[]; isDisabled: boolean; onChange: (rules: CustomRule[]) => void }

/** The organization's own patterns. */
export const CustomRules = ({ rules, isDisabled, onChange }: Props) => {
  const [edited, setEdited] = useState<{ rule: CustomRule; index: number } | null>(null)
  return (
    <Card
      title="Custom rules"
      note="Your own patterns, for example for employee numbers. Patterns cannot slow down calls."
      actions={
        !isDisabled &&
        rules.length < MAX_RULES && (
          <Button
            icon={<Plus className="size-4" aria-hidden="true" />}
            onClick={() => setEdited({ rule: NEW, index: rules.length })}
          >
            Add rule
          </Button>
        )
      }
    >
      {rules.length === 0 ? (
        <p className="text-sm text-muted">No custom rules.</p>
      ) : (
        <ul className="divide-y divide-line">
          {rules.map((rule, index) => (
            <li key={rule.label} className="flex flex-wrap items-center gap-x-4 gap-y-2 py-2.5 text-sm">
              <span className="grid min-w-0 flex-1 basis-48">
                <code className="font-mono text-xs font-medium">{rule.label}</code>
                <code className="font-mono text-xs break-all text-muted">{rule.pattern}</code>
              </span>
              <span className="text-xs text-muted">
                Arguments: {ACTION_LABELS[rule.inbound_action ?? 'log']} · Results:{' '}
                {ACTION_LABELS[rule.outbound_action ?? 'log']}
                {rule.context_words && rule.context_words.length > 0 && (
                  <> · Context: {rule.context_words.join(', ')}</>
                )}
              </span>
              {!isDisabled && (
                <span className="flex gap-1.5">
                  <Button
                    size="sm"
                    onClick={() => setEdited({ rule, index })}
                    aria-label={`Edit ${rule.label}`}
                  >
                    Edit
                  </Button>
                  <Button
                    size="sm"
                    kind="quiet"
                    onClick={() => onChange(rules.toSpliced(index, 1))}
                    aria-label={`Remove ${rule.label}`}
                  >
                    Remove
                  </Button>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {edited && (
        <RuleDialog
          rule={edited.rule}
          taken={rules.filter((_, n) => n !== edited.index).map(({ label }) => label)}
          onClose={() => setEdited(null)}
          onSave={rule => {
            onChange(rules.toSpliced(edited.index, 1, rule))
            setEdited(null)
          }}
        />
      )}
    </Card>
  )
}

const LABEL = /^[A-Z][A-Z0-9_]{1,63}$/

type DialogProps = {
  rule: CustomRule
  taken: readonly string[]
  onClose: () => void
  onSave: (rule: CustomRule) => void
}

/** The service checks the pattern when the rules are saved. */
const RuleDialog = ({ rule, taken, onClose, onSave }: DialogProps) => {
  const [draft, setDraft] = useState(rule)
  const [words, setWords] = useState(rule.context_words?.join(', ') ?? '')
  const [isTried, setTried] = useState(false)
  const set = (changes: Partial<CustomRule>): void => setDraft({ ...draft, ...changes })
  const problem = !LABEL.test(draft.label)
    ? 'Use capital letters, digits and underscores, such as EMPLOYEE_ID.'
    : taken.includes(draft.label)
      ? 'Another rule has this label.'
      : undefined
  const submit = (): void => {
    setTried(true)
    if (problem !== undefined || wordsProblem(words) !== undefined) return
    const { context_words: _before, ...rest } = draft
    const list = readWords(words)
    onSave({ ...rest, ...(list.length > 0 && { context_words: list }) })
  }
  return (
    <FormDialog
      title={rule === NEW ? 'Add a rule' : `Edit ${rule.label}`}
      width="md"
      action={rule === NEW ? 'Add rule' : 'Apply'}
      onClose={onClose}
      onSubmit={submit}
    >
      <TextField
        label="Label"
        hint="Shown in [REDACTED:…]."
        error={isTried ? problem : undefined}
        required
        maxLength={64}
        value={draft.label}
        onChange={value => set({ label: value.toUpperCase() })}
        placeholder="EMPLOYEE_ID"
        className="font-mono"
        autoFocus
      />
      <TextField
        label="Pattern"
        hint="A regular expression. Lookaround and backreferences are not supported."
        required
        maxLength={200}
        value={draft.pattern}
        onChange={value => set({ pattern: value })}
        placeholder="EMP-\d{6}"
        className="font-mono"
        autoComplete="off"
        spellCheck={false}
      />
      <Checkbox isChecked={draft.ignore_case ?? false} onChange={ignore_case => set({ ignore_case })}>
        Ignore case
      </Checkbox>
      <TextField
        label="Context words"
        hint={WORDS_HINT}
        error={wordsProblem(words)}
        value={words}
        onChange={setWords}
        autoComplete="off"
      />
      <div className="flex flex-wrap gap-5 text-sm">
        <span className="grid gap-1.5">
          <span className="font-medium">Arguments</span>
          <ActionSelect
            label="Action for arguments"
            value={draft.inbound_action ?? 'log'}
            isDisabled={false}
            onChange={inbound_action => set({ inbound_action })}
          />
        </span>
        <span className="grid gap-1.5">
          <span className="font-medium">Results</span>
          <ActionSelect
            label="Action for results"
            value={draft.outbound_action ?? 'log'}
            isDisabled={false}
            onChange={outbound_action => set({ outbound_action })}
          />
        </span>
      </div>
    </FormDialog>
  )
}
