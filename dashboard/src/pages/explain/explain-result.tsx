import type { Explanation } from '@carabiner/sdk'
import { CircleCheck, CircleX, Link2, Stamp } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { cx } from '../../ui/cx.ts'
import { Fix } from './fix.tsx'

type Props = { explanation: Explanation; onFixed: () => void; onCheck: () => void; isChecking: boolean }

const OUTCOMES = {
  run: {
    title: 'The call would run.',
    tone: 'border-good bg-good-soft',
    icon: CircleCheck,
    text: 'text-good',
  },
  request_authentication: {
    title: 'The user would be asked to connect an account.',
    tone: 'border-bad bg-bad-soft',
    icon: Link2,
    text: 'text-bad',
  },
  request_approval: {
    title: 'The call would wait for an approval.',
    tone: 'border-bad bg-bad-soft',
    icon: Stamp,
    text: 'text-bad',
  },
  reject: {
    title: 'The call would be rejected.',
    tone: 'border-bad bg-bad-soft',
    icon: CircleX,
    text: 'text-bad',
  },
} as const

/** The answer in one sentence, and the button that fixes it. */
export const ExplainResult = ({ explanation, onFixed, onCheck, isChecking }: Props) => {
  const { would, summary, error, first_failed, steps } = explanation
  const { title, tone, icon: Icon, text } = OUTCOMES[would]
  const failed = steps.find(({ step }) => step === first_failed)
  return (
    <section aria-label="Result" className={cx('grid gap-3 rounded-card border px-5 py-4', tone)}>
      <div role="status" className="grid gap-1">
        <h2 className={cx('flex items-center gap-2 text-base font-semibold', text)}>
          <Icon className="size-5 shrink-0" aria-hidden="true" /> {title}
        </h2>
        <p className="text-sm">{summary}</p>
        {error && (
          <p className="text-xs text-muted">
            The call’s error: <code className="font-mono">{error.code}</code>
          </p>
        )}
      </div>
      <div className="flex flex-wrap items-start gap-2">
        {failed?.fix && <Fix fix={failed.fix} explanation={explanation} step={failed} onFixed={onFixed} />}
        <Button isBusy={isChecking} onClick={onCheck}>
          Check again
        </Button>
      </div>
    </section>
  )
}
