import { policyBounds } from '@carabiner/contract/policy-bounds'
import { useState } from 'react'
import { cx } from '../../../ui/cx.ts'
import { Field } from '../../../ui/forms/field.tsx'
import { Textarea } from '../../../ui/forms/textarea.tsx'
import { hasIncompletePart, type RuleDraft } from '../rule-draft.ts'
import type { Issue } from '../use-tested-draft.ts'
import { ConditionBuilder } from './condition-builder.tsx'
import { expressionOf, type Part, readParts } from './condition-parts.ts'

type Props = {
  values: RuleDraft
  onChange: (changed: Pick<RuleDraft, 'when' | 'parts'>) => void
  issues: readonly Issue[]
  isDisabled: boolean
}

const VIEWS = [
  ['builder', 'Builder'],
  ['expression', 'Expression'],
] as const

/** The condition, as parts of the common forms or as an expression. */
export const ConditionField = ({ values: { when, parts, tools }, onChange, issues, isDisabled }: Props) => {
  const [view, setView] = useState<'builder' | 'expression'>(parts === null ? 'expression' : 'builder')
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-sm font-medium">Condition</h2>
        <div
          role="group"
          aria-label="Edit the condition as"
          className="flex gap-1 rounded-control bg-hover p-0.5"
        >
          {VIEWS.map(([value, label]) => (
            <button
              key={value}
              type="button"
              aria-pressed={view === value}
              onClick={() => setView(value)}
              className={cx(
                'min-h-7 rounded-md px-2.5 text-xs font-medium max-md:min-h-11',
                view === value ? 'bg-paper text-ink shadow-card' : 'text-muted hover:text-ink',
              )}
            >
              {label}
            </button>
          ))}
        </div>
      </div>
      {view === 'expression' ? (
        <ExpressionField when={when} onChange={onChange} issues={issues} />
      ) : parts === null ? (
        <>
          <p className="text-sm text-muted">
            This expression has forms that the builder does not know. Edit it as an expression.
          </p>
          <Expression when={when} issues={issues} />
        </>
      ) : (
        <>
          <ConditionBuilder
            parts={parts}
            tools={tools}
            isDisabled={isDisabled}
            onChange={(next: Part[]) => onChange({ parts: next, when: expressionOf(next) })}
          />
          <Expression when={when} issues={issues} isIncomplete={hasIncompletePart(parts)} />
        </>
      )}
    </div>
  )
}

const ExpressionField = ({
  when,
  onChange,
  issues,
}: Pick<Props, 'onChange' | 'issues'> & { when: string }) => (
  <div className="grid gap-2">
    <Field
      label="Expression"
      isLabelHidden
      hint={
        <>
          In CEL, such as <code className="font-mono">args.amount &gt; 100.0</code>. Leave empty to match
          every call.{' '}
          <a href="/docs/guides/policies#conditions" className="underline">
            Variables and examples
          </a>
        </>
      }
      error={issues[0]?.message}
    >
      <Textarea
        rows={4}
        value={when}
        maxLength={policyBounds.whenLength}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        className="font-mono"
        onChange={event => {
          const text = event.target.value
          onChange({ when: text, parts: readParts(text.trim()) })
        }}
      />
    </Field>
    {issues.map(issue => (
      <MarkedIssue key={`${issue.position?.offset} ${issue.message}`} when={when} issue={issue} />
    ))}
  </div>
)

type ExpressionProps = { when: string; issues: readonly Issue[]; isIncomplete?: boolean }

/** The expression that is saved, with what is wrong in it. */
const Expression = ({ when, issues, isIncomplete = false }: ExpressionProps) => (
  <div className="grid gap-2">
    <figure className="min-w-0 rounded-control border border-line bg-ground px-3 py-2">
      <figcaption className="text-xs text-muted">Expression</figcaption>
      {isIncomplete ? (
        <p className="text-xs">Complete the condition.</p>
      ) : when === '' ? (
        <p className="text-xs">Every call of the tools matches.</p>
      ) : (
        <code className="font-mono text-xs wrap-anywhere">{when}</code>
      )}
    </figure>
    {issues.map(issue => (
      <p
        key={`${issue.position?.offset} ${issue.message}`}
        role="alert"
        className="text-xs font-medium text-bad"
      >
        {issue.message}
      </p>
    ))}
  </div>
)

/** Characters shown before and after the error. */
const CONTEXT = 30

/** Where in the expression the error is. */
const MarkedIssue = ({ when, issue: { position, message } }: { when: string; issue: Issue }) => {
  if (position === null) return null
  const text = when.trim()
  const { offset, length } = position
  const end = Math.max(offset + length, offset + 1)
  return (
    <p className="font-mono text-xs wrap-anywhere text-muted" title={message}>
      <span className="sr-only">Position of the error: </span>
      {offset > CONTEXT && '…'}
      {text.slice(Math.max(0, offset - CONTEXT), offset)}
      <mark className="rounded-sm bg-bad-soft px-0.5 text-bad underline decoration-wavy">
        {text.slice(offset, end) || '⟨end⟩'}
      </mark>
      {text.slice(end, end + CONTEXT)}
      {end + CONTEXT < text.length && '…'}
    </p>
  )
}
