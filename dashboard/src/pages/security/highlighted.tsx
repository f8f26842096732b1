import { cx } from '../../ui/cx.ts'
import { type Match, type Part, partsOfText, partsOfValue } from './matched-parts.ts'
import type { Action } from './rule-words.ts'

const TONES: Record<Action, string> = {
  none: 'bg-hover text-ink',
  log: 'bg-info-soft text-info',
  redact: 'bg-warn-soft text-warn',
  block: 'bg-bad-soft text-bad',
}

const Parts = ({ parts }: { parts: readonly Part[] }) =>
  parts.map(({ text, match }, n) =>
    match ? (
      <mark key={n} className={cx('rounded-md px-1 py-0.5', TONES[match.action])}>
        {text}
        <span className="ms-1.5 font-sans text-xs font-medium">{match.entity}</span>
      </mark>
    ) : (
      <span key={n}>{text}</span>
    ),
  )

type Matches = { matches: readonly Match[] }

/** The text with its matches marked. */
export const HighlightedText = ({ text, matches }: Matches & { text: string }) => (
  <p className="rounded-popup border border-line bg-ground px-3.5 py-3 leading-7 whitespace-pre-wrap">
    <Parts parts={partsOfText(text, matches)} />
  </p>
)

/** The same for a JSON value. */
export const HighlightedValue = ({ label, value, matches }: Matches & { label: string; value: unknown }) => (
  <pre
    tabIndex={0}
    role="region"
    aria-label={label}
    className="max-h-96 overflow-auto rounded-popup border border-line bg-ground px-3.5 py-3 font-mono text-xs leading-7"
  >
    <Parts parts={partsOfValue(value, matches)} />
  </pre>
)
