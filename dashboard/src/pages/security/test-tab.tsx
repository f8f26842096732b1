import type { Client, SecurityRulesTest } from '@carabiner/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useToolPacks } from '../../api/use-tool-packs.ts'
import { PackFilter } from '../../pickers/pack-filter.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Textarea } from '../../ui/forms/textarea.tsx'
import { Filter } from '../../ui/lists/filter.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { NotLoaded } from '../../ui/states/not-loaded.tsx'
import { toWrite } from './rule-draft.ts'
import { SaveRules } from './save-rules.tsx'
import { type Input, type Tested, TestResult } from './test-result.tsx'
import { type LoadedRules, useLoadedRules, useRuleDraft } from './use-rule-draft.ts'

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
  const rules = useLoadedRules(pack)
  return rules.data ? (
    <Tester key={pack} pack={pack} rules={rules.data} />
  ) : (
    <Card isFlush>
      <NotLoaded error={rules.error} onRetry={rules.refetch} label="Loading the rules" />
    </Card>
  )
}

/** Tests the unsaved rules. Default: the saved ones. */
const Tester = ({ pack, rules }: { pack: string | undefined; rules: LoadedRules }) => {
  const draft = useRuleDraft(pack, rules)
  const unsaved = draft.differences.length
  const [tested, setTested] = useState<Tested | null>(null)
  const test = useApiMutation(
    (api, input: Input) =>
      testBoth(api, input, {
        ...(pack && { tool_pack_id: pack }),
        ...(unsaved > 0 && { rules: toWrite(draft.values) }),
      }),
    { onSuccess: setTested },
  )
  return (
    <>
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <Card title="Input" note={noteOf(unsaved)}>
          <InputForm isBusy={test.isPending} onTest={input => test.mutate(input)} />
          {test.error && <ErrorNote error={test.error} />}
        </Card>
        <div aria-live="polite" className="grid gap-5">
          {tested && (
            <>
              <TestResult title="As arguments" input={tested.input} result={tested.inbound} />
              <TestResult title="As result" input={tested.input} result={tested.outbound} />
            </>
          )}
        </div>
      </div>
      <SaveRules pack={pack} draft={draft} />
    </>
  )
}

const noteOf = (unsaved: number): string => {
  const rules =
    unsaved === 0
      ? 'The saved rules apply.'
      : unsaved === 1
        ? 'Your unsaved change applies.'
        : `Your ${unsaved} unsaved changes apply.`
  return `${rules} The input is neither stored nor logged.`
}

/** The rules of both directions, because an entity often has another action in results than in arguments. */
const testBoth = async (api: Client, input: Input, options: SecurityRulesTest): Promise<Tested> => {
  const [inbound, outbound] = await Promise.all(
    (['inbound', 'outbound'] as const).map(direction =>
      api.securityRules.test({ ...input, ...options, direction }),
    ),
  )
  if (!inbound || !outbound) throw new Error('A test without a result')
  return { input, inbound, outbound }
}

const InputForm = ({ isBusy, onTest }: { isBusy: boolean; onTest: (input: Input) => void }) => {
  const { pack } = route.useSearch()
  const navigate = route.useNavigate()
  const packs = useToolPacks()
  const [format, setFormat] = useState<Format>('text')
  const [drafts, setDrafts] = useState(EXAMPLES)
  const [problem, setProblem] = useState<string | undefined>()
  const text = drafts[format]
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const read = format === 'text' ? { text } : readValue(text)
    setProblem('problem' in read ? read.problem : undefined)
    if (!('problem' in read)) onTest(read)
  }
  return (
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
        {packs.data && packs.data.length > 0 && (
          <PackFilter
            packs={packs.data}
            value={pack}
            onChange={next => void navigate({ search: previous => ({ ...previous, pack: next }) })}
          />
        )}
        <Button type="submit" kind="primary" className="ms-auto" isBusy={isBusy} disabled={text === ''}>
          {format === 'text' ? 'Test text' : 'Test JSON'}
        </Button>
      </div>
    </form>
  )
}

const readValue = (text: string): { value: unknown } | { problem: string } => {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { problem: `This is not valid JSON. ${(error as Error).message}` }
  }
}
