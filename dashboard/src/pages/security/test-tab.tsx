import type { SecurityRulesTest, SecurityRulesTested } from '@carabiner/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Badge, type Tone } from '../../ui/data/badge.tsx'
import { JsonView } from '../../ui/data/json-view.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Textarea } from '../../ui/forms/textarea.tsx'
import { Filter } from '../../ui/lists/filter.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { HighlightedText, HighlightedValue } from './highlighted.tsx'
import { ACTION_LABELS, type Action } from './rule-words.ts'
import { PackFilter } from './rules-tab.tsx'
import { useToolPacks } from './use-rules.ts'

const route = getRouteApi('/o/$organization/$mode/security')
const EXAMPLES = {
  text: 'Write to ana.ruiz@example.com or call +1 415 555 0132. Card 4111 1111 1111 1111.',
  json: `{
  "customer": { "email": "ana.ruiz@example.com", "phone": "+1 415 555 0132" },
  "notes": ["Paid with 4111 1111 1111 1111"]
}`,
}
type Format = keyof typeof EXAMPLES

export const TestTab = () => {
  const { pack } = route.useSearch()
  const navigate = route.useNavigate()
  const packs = useToolPacks()
  const [format, setFormat] = useState<Format>('text')
  const [drafts, setDrafts] = useState(EXAMPLES)
  const text = drafts[format]
  const [problem, setProblem] = useState<string | undefined>()
  const [direction, setDirection] = useState<'inbound' | 'outbound'>('outbound')
  const [tested, setTested] = useState<Tested | null>(null)
  const test = useApiMutation(
    async (api, body: SecurityRulesTest): Promise<Tested> => ({
      ...('text' in body ? { text: body.text as string } : { value: body.value }),
      result: await api.securityRules.test(body),
    }),
    { onSuccess: setTested },
  )
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const read = format === 'text' ? { text } : readValue(text)
    setProblem('problem' in read ? read.problem : undefined)
    if ('problem' in read) return
    test.mutate({ ...read, direction, ...(pack && { tool_pack_id: pack }) })
  }
  return (
    <div className="grid items-start gap-5 lg:grid-cols-2">
      <Card title="Input" note="It is neither stored nor logged. The saved rules apply.">
        <form className="grid gap-4" onSubmit={submit}>
          <Field label={format === 'text' ? 'Text to test' : 'JSON to test'} isLabelHidden error={problem}>
            <Textarea
              rows={8}
              value={text}
              onChange={event => {
                setDrafts({ ...drafts, [format]: event.target.value })
                setProblem(undefined)
              }}
              spellCheck={false}
              className={format === 'json' ? 'font-mono' : undefined}
            />
          </Field>
          <div className="flex flex-wrap gap-2">
            <Filter
              label="Format"
              value={format}
              onChange={next => {
                setFormat(next)
                setProblem(undefined)
              }}
              options={[
                { value: 'text', label: 'Text' },
                { value: 'json', label: 'JSON' },
              ]}
            />
            <Filter
              label="As"
              value={direction}
              onChange={setDirection}
              options={[
                { value: 'outbound', label: 'Result' },
                { value: 'inbound', label: 'Arguments' },
              ]}
            />
            {packs.data && packs.data.length > 0 && (
              <PackFilter
                packs={packs.data}
                value={pack}
                onChange={next => void navigate({ search: previous => ({ ...previous, pack: next }) })}
              />
            )}
            <Button
              type="submit"
              kind="primary"
              className="ms-auto"
              isBusy={test.isPending}
              disabled={text === ''}
            >
              {format === 'text' ? 'Test the text' : 'Test the JSON'}
            </Button>
          </div>
          {test.error && <ErrorNote error={test.error} />}
        </form>
      </Card>
      <div aria-live="polite">{tested && <Result {...tested} />}</div>
    </div>
  )
}

type Tested = ({ text: string } | { value: unknown }) & { result: SecurityRulesTested }

const readValue = (text: string): { value: unknown } | { problem: string } => {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { problem: `This is not valid JSON. ${(error as Error).message}` }
  }
}

const ACTIONS: Record<Action, { text: string; tone: Tone }> = {
  none: { text: 'Passes unchanged', tone: 'good' },
  log: { text: 'Passes, and is recorded', tone: 'info' },
  redact: { text: 'Passes redacted', tone: 'warn' },
  block: { text: 'Blocked', tone: 'bad' },
}

const Result = ({ result, ...input }: Tested) => (
  <Card
    title="Result"
    note={
      result.match_count === 0
        ? 'No entity was found that a rule searches for.'
        : `${result.match_count} ${result.match_count === 1 ? 'match' : 'matches'}${result.dry_run ? ', in a dry run' : ''}`
    }
    actions={<Badge tone={ACTIONS[result.action].tone}>{ACTIONS[result.action].text}</Badge>}
  >
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 text-sm">
      {'text' in input ? (
        <HighlightedText text={input.text} matches={result.matches} />
      ) : (
        <HighlightedValue value={input.value} matches={result.matches} />
      )}
      {result.action === 'redact' && (
        <section className="grid gap-1.5">
          <h3 className="text-xs text-muted">What passes</h3>
          {typeof result.redacted === 'string' ? (
            <p className="rounded-popup border border-line bg-ground px-3.5 py-3 whitespace-pre-wrap">
              {result.redacted}
            </p>
          ) : (
            <JsonView value={result.redacted} label="What passes" />
          )}
        </section>
      )}
      {result.matches.length > 0 && (
        <ul aria-label="Matches" className="divide-y divide-line">
          {result.matches.map((match, n) => (
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
      )}
    </div>
  </Card>
)

/** As in code: `customer.notes[0]`. */
const pathText = (path: readonly (string | number)[]): string =>
  path.map((step, n) => (typeof step === 'number' ? `[${step}]` : n === 0 ? step : `.${step}`)).join('') ||
  'value'
