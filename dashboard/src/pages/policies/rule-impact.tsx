import type { TestedDecision } from '@carabiner/contract'
import type { PolicyRuleTested } from '@carabiner/sdk'
import { useScope } from '../../api/use-api.ts'
import { Card } from '../../ui/card.tsx'
import { Badge } from '../../ui/data/badge.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { UserName } from '../../ui/data/user-name.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'
import type { RuleKind } from './rule-draft.ts'
import { EFFECTS } from './rule-words.ts'
import type { TestedDraft } from './use-tested-draft.ts'

type Calls = NonNullable<PolicyRuleTested['calls']>
type Props = {
  tested: TestedDraft
  effect: RuleKind
  /** The rule is shown as it is saved. */
  isSaved: boolean
}

/** What the rule would have done to recorded calls. */
export const RuleImpact = ({ tested, effect, isSaved }: Props) => {
  const { mode } = useScope()
  const { result } = tested
  return (
    <Card
      title="What it would have done"
      note={`Recorded calls of the last 30 days in ${mode} mode. Nothing is changed.`}
    >
      <div aria-live="polite" aria-busy={tested.isStale} className={tested.isStale ? 'opacity-60' : ''}>
        {tested.missing !== null ? (
          <p className="text-sm text-muted">{tested.missing}</p>
        ) : tested.error ? (
          <ErrorState error={tested.error} onRetry={tested.retry} />
        ) : !result ? (
          <SkeletonRows label="Testing the rule" rows={3} isInCard={false} />
        ) : result.calls ? (
          <div className="grid gap-4">
            <Summary calls={result.calls} effect={effect} isSaved={isSaved} />
            {result.warnings.map(warning => (
              <p key={warning} className="rounded-control bg-warn-soft px-3 py-2.5 text-sm text-warn">
                {warning}
              </p>
            ))}
            <Gaps calls={result.calls} />
            <Examples calls={result.calls} />
          </div>
        ) : (
          <p className="text-sm text-muted">Correct the marked fields to see it.</p>
        )}
      </div>
    </Card>
  )
}

const count = (calls: number): string => (calls === 1 ? '1 call' : `${calls.toLocaleString()} calls`)

/** After a number of calls. */
const CHANGES: Record<TestedDecision, string> = {
  deny: 'would have been denied',
  ask: 'would have waited for an approval',
  allow: 'would have been allowed',
  hook: 'would have been decided by a hook, which is asked only in a call',
}
const DECISIONS: readonly TestedDecision[] = ['deny', 'ask', 'allow', 'hook']

const Summary = ({ calls, effect, isSaved }: { calls: Calls; effect: RuleKind; isSaved: boolean }) => {
  const { checked, matched, failed, changed } = calls
  const changes = DECISIONS.filter(decision => changed[decision] > 0)
  if (checked === 0) return <p className="text-sm text-muted">No calls of these tools were recorded.</p>
  return (
    <div className="grid gap-3">
      {changes.length > 0 ? (
        <ul className="grid gap-2">
          {changes.map(decision => (
            <li key={decision} className="flex items-baseline gap-2.5">
              <span className="text-2xl font-semibold tracking-tight">
                {changed[decision].toLocaleString()}
              </span>
              <span className="text-sm">
                {changed[decision] === 1 ? 'call' : 'calls'} {CHANGES[decision]}
              </span>
            </li>
          ))}
        </ul>
      ) : (
        <p className="text-sm font-medium">
          {isSaved
            ? 'The policy already decides with this rule.'
            : 'No recorded call would have been decided differently.'}
        </p>
      )}
      <p className="text-sm text-muted">
        The rule matches {matched.toLocaleString()} of {count(checked)} of its tools
        {changes.length > 0 && '; the numbers compare with the policy as it is now'}.
      </p>
      {failed > 0 && (
        <p className="rounded-control bg-warn-soft px-3 py-2.5 text-sm text-warn">
          The condition could not be evaluated in {count(failed)}.{' '}
          {effect === 'allow' ? 'The rule does not match them.' : 'The rule matches them.'} Test fields that
          may be missing with has().
        </p>
      )}
    </div>
  )
}

/** What the test does not cover. */
const Gaps = ({ calls }: { calls: Calls }) => {
  const { undecided, without_arguments: unrecorded, limit, covered_since: since } = calls
  const others = undecided - unrecorded
  if (undecided === 0 && limit === null) return null
  return (
    <ul className="grid gap-1.5 text-xs text-muted">
      {unrecorded > 0 && (
        <li>
          {unrecorded === 1 ? '1 call has' : `${unrecorded.toLocaleString()} calls have`} no recorded
          arguments.{' '}
          <PageLink path="/settings/organization" className="underline">
            Recording settings
          </PageLink>
        </li>
      )}
      {others > 0 && (
        <li>
          The condition reads something that is not known of {count(others)}, such as the client or the number
          of earlier calls.
        </li>
      )}
      {limit !== null && (
        <li>
          Only calls since <RelativeTime at={since} /> were tested
          {limit === 'records' ? ': there are many.' : ', within two seconds.'}
        </li>
      )}
    </ul>
  )
}

const Examples = ({ calls: { examples } }: { calls: Calls }) =>
  examples.length > 0 && (
    <section className="grid gap-2">
      <h3 className="text-sm font-semibold">Latest examples</h3>
      <ul className="divide-y divide-line">
        {examples.map(example => (
          <li key={example.tool_call_id} className="grid gap-1 py-2 text-xs">
            <PageLink
              path={`/logs?range=30d&call=${example.tool_call_id}`}
              className="min-h-6 font-mono font-medium wrap-anywhere underline"
            >
              {example.tool}
            </PageLink>
            <span className="flex flex-wrap items-center gap-x-2 gap-y-1 text-muted">
              <bdi>
                <UserName id={example.registered_user_id} />
              </bdi>
              <RelativeTime at={example.started_at} />
              <span className="ms-auto inline-flex items-center gap-1">
                {example.previous_decision !== example.decision && (
                  <>
                    {EFFECTS[example.previous_decision].label} <span aria-hidden="true">→</span>
                    <span className="sr-only">becomes</span>
                  </>
                )}
                <Badge tone={EFFECTS[example.decision].tone}>{EFFECTS[example.decision].label}</Badge>
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
