import type { SecurityRulesTested } from '@carabiner/sdk'
import { Card } from '../../ui/card.tsx'
import { Badge, type Tone } from '../../ui/data/badge.tsx'
import { JsonView } from '../../ui/data/json-view.tsx'
import { HighlightedText, HighlightedValue } from './highlighted.tsx'
import { ACTION_LABELS, type Action } from './rule-words.ts'

export type Input = { text: string } | { value: unknown }
export type Tested = { input: Input; inbound: SecurityRulesTested; outbound: SecurityRulesTested }

const ACTIONS: Record<Action, { text: string; tone: Tone }> = {
  none: { text: 'Passes unchanged', tone: 'good' },
  log: { text: 'Passes and is recorded', tone: 'info' },
  redact: { text: 'Passes redacted', tone: 'warn' },
  block: { text: 'Blocked', tone: 'bad' },
}

type Props = { title: string; input: Input; result: SecurityRulesTested }

/** What the rules of one direction find in the input, and what passes. */
export const TestResult = ({ title, input, result }: Props) => (
  <div role="group" aria-label={title}>
    <Card
      title={title}
      note={noteOf(result)}
      actions={<Badge tone={ACTIONS[result.action].tone}>{ACTIONS[result.action].text}</Badge>}
    >
      {result.match_count > 0 && (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4 text-sm">
          {'text' in input ? (
            <HighlightedText text={input.text} matches={result.matches} />
          ) : (
            <HighlightedValue
              label={`${title}: the value with its matches`}
              value={input.value}
              matches={result.matches}
            />
          )}
          {result.action === 'redact' && !result.dry_run && <Redacted redacted={result.redacted} />}
          <Matches matches={result.matches} />
        </div>
      )}
    </Card>
  </div>
)

const noteOf = ({ match_count: count, dry_run: isDryRun }: SecurityRulesTested): string =>
  count === 0
    ? 'No rule matched.'
    : `${count} ${count === 1 ? 'match' : 'matches'}${isDryRun ? '. Dry run: nothing is redacted or blocked' : ''}`

const Redacted = ({ redacted }: { redacted: unknown }) => (
  <section className="grid gap-1.5">
    <h3 className="text-xs text-muted">What gets through</h3>
    {typeof redacted === 'string' ? (
      <p className="rounded-popup border border-line bg-ground px-3.5 py-3 whitespace-pre-wrap">{redacted}</p>
    ) : (
      <JsonView value={redacted} label="What gets through" />
    )}
  </section>
)

const Matches = ({ matches }: Pick<SecurityRulesTested, 'matches'>) => (
  <ul aria-label="Matches" className="divide-y divide-line">
    {matches.map((match, n) => (
      <li key={n} className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 py-2 text-xs">
        <code className="font-mono font-medium">{match.entity}</code>
        {match.places?.map(({ path, in: where }, at) => (
          <code key={at} className="font-mono break-all">
            {pathText(path)}
            {where === 'key' && ' (name)'}
          </code>
        ))}
        <span className="text-muted">
          score {match.score.toFixed(2)}
          {match.context_words.length > 0 && `, near “${match.context_words.join('”, “')}”`}
        </span>
        <span className="ms-auto">{ACTION_LABELS[match.action]}</span>
      </li>
    ))}
  </ul>
)

/** As in code: `customer.notes[0]`. */
const pathText = (path: readonly (string | number)[]): string =>
  path.map((step, n) => (typeof step === 'number' ? `[${step}]` : n === 0 ? step : `.${step}`)).join('') ||
  'value'
