import type { ToolCallDetail } from '@carabiner/sdk'
import { StepMark } from '../../ui/data/step-mark.tsx'
import { errorWords } from './error-words.ts'

/** Where a call ended: the checks that it passed, and the one that failed with what the caller was told. */
export const RecordedSteps = ({ call }: { call: ToolCallDetail }) => {
  const failed = call.steps.find(({ status }) => status === 'failed')
  if (!failed) return null
  const passed = call.steps.filter(({ status }) => status === 'passed')
  const later = call.steps.filter(({ status }) => status === 'not_reached')
  return (
    <section className="grid gap-2.5">
      <h3 className="text-sm font-semibold">What happened</h3>
      <ol aria-label="Checks of this call" className="grid gap-3 text-sm">
        {/* A recorded call was admitted, so it has passed several checks. */}
        <li className="flex gap-3">
          <StepMark status="passed" />
          <details className="min-w-0">
            <summary className="min-h-6 cursor-pointer">{passed.length} checks passed</summary>
            <p className="text-muted">{titlesOf(passed)}</p>
          </details>
        </li>
        <li className="flex gap-3" aria-current="step">
          <StepMark status="failed" />
          <div className="grid min-w-0 gap-0.5">
            <p className="font-medium text-bad">
              {failed.title}
              <span className="sr-only">: failed</span>
            </p>
            <p className="whitespace-pre-line">
              {call.error_message ?? errorWords(call.error_code, call.outcome)}
            </p>
            {call.error_param !== null && (
              <p className="text-xs text-muted">
                Argument <code className="font-mono">{call.error_param}</code>
              </p>
            )}
          </div>
        </li>
        {later.length > 0 && (
          <li className="flex gap-3 text-muted">
            <StepMark status="not_reached" />
            <p>Not reached: {titlesOf(later)}</p>
          </li>
        )}
      </ol>
    </section>
  )
}

const titlesOf = (steps: ToolCallDetail['steps']): string => steps.map(({ title }) => title).join(', ')
