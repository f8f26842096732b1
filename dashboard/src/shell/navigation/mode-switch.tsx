import { useRouter } from '@tanstack/react-router'
import type { Mode } from '../../api/session.ts'
import { useScope } from '../../api/use-api.ts'
import { cx } from '../../ui/cx.ts'
import { pathInMode } from './path-in-mode.ts'

const MODES: readonly { mode: Mode; label: string }[] = [
  { mode: 'production', label: 'Production' },
  { mode: 'test', label: 'Test' },
]

/** Test and production have separate data. The page stays the same. */
export const ModeSwitch = () => {
  const { organization, mode: current } = useScope()
  const router = useRouter()
  const open = (mode: Mode): void =>
    void router.navigate({ href: `/dashboard${pathInMode({ organization, mode })}` })
  return (
    <div
      role="group"
      aria-label="Mode"
      className="flex rounded-control border border-line bg-paper p-0.5 text-sm"
    >
      {MODES.map(({ mode, label }) => (
        <button
          key={mode}
          type="button"
          aria-pressed={mode === current}
          onClick={() => mode !== current && open(mode)}
          className={cx(
            'min-h-7 rounded-[7px] px-2.5 max-md:min-h-10',
            mode !== current && 'text-muted hover:text-ink',
            mode === current && mode === 'test' && 'bg-accent-soft font-semibold text-accent-ink',
            mode === current && mode === 'production' && 'bg-hover font-semibold',
          )}
        >
          {label}
        </button>
      ))}
    </div>
  )
}
