import { cx } from '../cx.ts'
import { type DiffLine, diffLines } from './diff-lines.ts'

const MARKS: Record<DiffLine['kind'], { sign: string; name: string; className: string }> = {
  same: { sign: ' ', name: '', className: 'text-muted' },
  removed: { sign: '−', name: 'removed', className: 'bg-bad-soft text-bad' },
  added: { sign: '+', name: 'added', className: 'bg-good-soft text-good' },
}

/** The changed lines of two values. Objects are compared as formatted JSON. */
export const DiffView = ({ before, after, label }: { before: unknown; after: unknown; label: string }) => (
  <pre
    role="group"
    aria-label={label}
    tabIndex={0}
    className="overflow-x-auto rounded-popup border border-line bg-ground py-2 font-mono text-xs leading-5"
  >
    {diffLines(textOf(before), textOf(after)).map(({ kind, text }, n) => (
      <div key={n} className={cx('px-3.5 whitespace-pre', MARKS[kind].className)}>
        {MARKS[kind].name && <span className="sr-only">{MARKS[kind].name}: </span>}
        <span aria-hidden="true">{MARKS[kind].sign} </span>
        {text}
      </div>
    ))}
  </pre>
)

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value, null, 2)
