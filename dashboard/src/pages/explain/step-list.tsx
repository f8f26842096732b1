import type { Explanation } from '@carabiner/sdk'
import { cx } from '../../ui/cx.ts'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { StepMark } from '../../ui/data/step-mark.tsx'

type Step = Explanation['steps'][number]

const STATUS_WORDS: Record<Step['status'], string> = {
  passed: 'Passed',
  failed: 'Failed',
  not_reached: 'Not reached',
  not_checked: 'Not checked',
}

/** The checks from top to bottom. Those before the one that fails are folded, because it ends the call. */
export const StepList = ({ steps }: { steps: readonly Step[] }) => {
  const failedAt = Math.max(
    0,
    steps.findIndex(({ status }) => status === 'failed'),
  )
  const earlier = steps.slice(0, failedAt)
  return (
    <div className="grid gap-4">
      {earlier.length > 0 && (
        <details className="text-sm">
          <summary className="min-h-6 cursor-pointer text-muted">
            {earlier.every(({ status }) => status === 'passed')
              ? `${earlier.length} ${earlier.length === 1 ? 'check' : 'checks'} passed`
              : `${earlier.length} earlier checks`}
          </summary>
          <div className="pt-4">
            <Steps label="Earlier checks" steps={earlier} />
          </div>
        </details>
      )}
      <Steps label="Checks" steps={steps.slice(failedAt)} />
    </div>
  )
}

const Steps = ({ label, steps }: { label: string; steps: readonly Step[] }) => (
  <ol aria-label={label} className="grid">
    {steps.map((step, n) => (
      <li
        key={step.step}
        className="relative flex gap-3.5 pb-4 last:pb-0"
        {...(step.status === 'failed' && { 'aria-current': 'step' })}
      >
        {n < steps.length - 1 && (
          <i aria-hidden="true" className="absolute start-[0.6875rem] top-6 bottom-0 w-px bg-line" />
        )}
        <StepMark status={step.status} />
        <div className="grid min-w-0 gap-0.5 text-sm">
          <p
            className={cx(
              'font-medium',
              step.status === 'failed' && 'text-bad',
              isOpen(step) && 'text-muted',
            )}
          >
            {step.title}
            <span className="sr-only">: {STATUS_WORDS[step.status]}</span>
          </p>
          <p className="text-muted">{step.summary}</p>
          <StepDetail detail={step.detail} />
        </div>
      </li>
    ))}
  </ol>
)

const isOpen = ({ status }: Step): boolean => status === 'not_reached' || status === 'not_checked'

const StepDetail = ({ detail }: { detail: Step['detail'] }) => {
  if (!detail) return null
  const { limit, remaining, resets_at, missing_scopes, granted_scopes, matches, param, policy_rules } = detail
  return (
    <div className="grid gap-0.5 text-xs text-muted">
      {limit !== undefined && remaining !== undefined && (
        <p>
          {remaining.toLocaleString()} of {limit.toLocaleString()} left
          {resets_at && (
            <>
              , resets <RelativeTime at={resets_at} />
            </>
          )}
        </p>
      )}
      {param !== undefined && (
        <p>
          Argument <code className="font-mono">{param}</code>
        </p>
      )}
      {missing_scopes && missing_scopes.length > 0 && (
        <p>
          Missing <code className="font-mono">{missing_scopes.join(' ')}</code>; granted:{' '}
          <code className="font-mono">{granted_scopes?.join(' ') || 'none'}</code>
        </p>
      )}
      {policy_rules?.map(({ id, name, effect, status }) => (
        <p key={id}>
          Rule “{name}”: {effect ?? 'its hook decides'}
          {status === 'failed' && ', because its condition could not be evaluated'}
        </p>
      ))}
      {matches?.map(({ entity, action, count }) => (
        <p key={`${entity} ${action}`}>
          {entity} ×{count}: {action}
        </p>
      ))}
    </div>
  )
}
