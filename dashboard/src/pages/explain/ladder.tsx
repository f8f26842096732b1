import type { Explanation } from '@carabiner/sdk'
import { Check, X } from 'lucide-react'
import { cx } from '../../ui/cx.ts'
import { RelativeTime } from '../../ui/data/relative-time.tsx'

type Step = Explanation['steps'][number]

const NAMES: Record<Step['step'], string> = {
  key: 'API key',
  user: 'Registered User',
  mode: 'Mode',
  tool_pack: 'Tool Pack',
  user_status: 'User is active',
  connector: 'Connector',
  tool: 'Tool',
  tool_definition: 'Tool definition',
  plan_limit: 'Plan limit',
  rate_limit: 'Rate limit',
  arguments: 'Arguments',
  security_rules: 'Security rules',
  account: 'Account',
  credential: 'Connection',
  scopes: 'Permissions (scopes)',
  token: 'Access token',
  provider: 'Provider',
}
const STATUS_WORDS: Record<Step['status'], string> = {
  passed: 'Passed',
  failed: 'Failed',
  not_reached: 'Not reached',
  not_checked: 'Not checked',
}

/** Every decision from top to bottom; the first failed one ends the call. */
export const Ladder = ({ steps }: { steps: readonly Step[] }) => (
  <ol aria-label="Decisions" className="grid">
    {steps.map((step, n) => (
      <li
        key={step.step}
        className="relative flex gap-3.5 pb-4 last:pb-0"
        {...(step.status === 'failed' && { 'aria-current': 'step' })}
      >
        {n < steps.length - 1 && (
          <i aria-hidden="true" className="absolute start-[0.6875rem] top-6 bottom-0 w-px bg-line" />
        )}
        <Mark status={step.status} />
        <div className="grid min-w-0 gap-0.5 text-sm">
          <p
            className={cx(
              'font-medium',
              step.status === 'failed' && 'text-bad',
              isOpen(step) && 'text-muted',
            )}
          >
            {NAMES[step.step]}
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

const Mark = ({ status }: { status: Step['status'] }) => {
  const shape = 'z-[1] grid size-5.5 shrink-0 place-items-center rounded-full'
  if (status === 'passed')
    return (
      <span className={cx(shape, 'bg-good text-paper')}>
        <Check className="size-3.5" strokeWidth={3} aria-hidden="true" />
      </span>
    )
  if (status === 'failed')
    return (
      <span className={cx(shape, 'bg-bad text-paper')}>
        <X className="size-3.5" strokeWidth={3} aria-hidden="true" />
      </span>
    )
  return <span className={cx(shape, 'border border-dashed border-line-strong bg-paper')} />
}

const StepDetail = ({ detail }: { detail: Step['detail'] }) => {
  if (!detail) return null
  const { limit, remaining, resets_at, missing_scopes, granted_scopes, matches, param } = detail
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
      {matches?.map(({ entity, action, count }) => (
        <p key={`${entity} ${action}`}>
          {entity} ×{count}: {action}
        </p>
      ))}
    </div>
  )
}
