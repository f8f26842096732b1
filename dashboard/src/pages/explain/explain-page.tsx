import { getRouteApi, Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useScope } from '../../api/use-api.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { PackField, useChosenPack } from '../../pickers/pack-field.tsx'
import { ToolField } from '../../pickers/tool-field.tsx'
import { UserField } from '../../pickers/user-field.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Snippet } from '../../ui/data/snippet.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Textarea } from '../../ui/forms/textarea.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { NotLoaded } from '../../ui/states/not-loaded.tsx'
import { quote } from '../playground/call-snippets.ts'
import { ExplainResult } from './explain-result.tsx'
import { readArguments } from './read-arguments.ts'
import { StepList } from './step-list.tsx'

const route = getRouteApi('/o/$organization/$mode/explain')

const ExplainPage = () => {
  const { user, tool, pack } = route.useSearch()
  const navigate = route.useNavigate()
  const chosenPack = useChosenPack(pack)
  const [toolDraft, setToolDraft] = useState(tool ?? '')
  const [text, setText] = useState('')
  const [args, setArgs] = useState<Record<string, unknown> | undefined>()
  const [problem, setProblem] = useState<string | undefined>()
  const set = (change: { user?: string; pack?: string; tool?: string }): void =>
    void navigate({ search: previous => ({ ...previous, ...change }), replace: true })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const read = readArguments(text)
    setProblem('problem' in read ? read.problem : undefined)
    if ('problem' in read) return
    setArgs(read.value)
    set({ tool: toolDraft.trim() || undefined })
  }
  return (
    <Page
      title="Explain"
      note="See whether a call would run for a user, and if not, why. Nothing is called or recorded."
    >
      <div className="grid items-start gap-4 lg:grid-cols-[20rem_minmax(0,1fr)]">
        <Card title="The call">
          <form className="grid gap-4" onSubmit={submit}>
            <UserField value={user} onChange={next => set({ user: next })} />
            <PackField value={pack} onChange={next => set({ pack: next })} />
            <ToolField packId={chosenPack?.id} value={toolDraft} onChange={setToolDraft} />
            <Field
              label="Arguments (optional)"
              hint="JSON. Explain then also checks the input schema and the security rules. Arguments are not stored."
              error={problem}
            >
              <Textarea
                rows={4}
                value={text}
                placeholder="{}"
                spellCheck={false}
                className="font-mono"
                onChange={event => setText(event.target.value)}
              />
            </Field>
            <Button type="submit" kind="primary">
              Explain
            </Button>
          </form>
        </Card>
        {user !== undefined && tool !== undefined ? (
          <Explained key={`${user} ${tool} ${pack}`} user={user} tool={tool} pack={pack} args={args} />
        ) : (
          <Card>
            <EmptyState title="Choose a user and a tool">
              Explain runs every check of a tool call in order and shows the first that fails, with the fix.
            </EmptyState>
          </Card>
        )}
      </div>
    </Page>
  )
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

type Props = {
  user: string
  tool: string
  pack: string | undefined
  args: Record<string, unknown> | undefined
}

const Explained = ({ user, tool, pack, args }: Props) => {
  const scope = useScope()
  const { data, error, refetch, isFetching } = useApiQuery(
    ['explain', user, tool, pack, args],
    (api, options) =>
      api.explain(
        {
          ...(UUID.test(user) ? { registered_user_id: user } : { origin_user_id: user }),
          tool,
          ...(pack !== undefined && { tool_pack_id: pack }),
          ...(args && { arguments: args }),
        },
        options,
      ),
  )
  if (error || !data)
    return (
      <Card isFlush>
        <NotLoaded error={error} onRetry={refetch} label="Explaining the call" />
      </Card>
    )
  return (
    <div className="grid gap-4">
      <ExplainResult
        explanation={data}
        onFixed={() => void refetch()}
        isChecking={isFetching}
        onCheck={() => void refetch()}
      />
      <Card
        title="Checks"
        note={`${data.tool}${data.tool_pack ? ` · ${data.tool_pack.name}` : ''}`}
        actions={
          <Link
            to="/o/$organization/$mode/playground"
            params={scope}
            search={{ ...(pack !== undefined && { pack }), user, tool }}
            className={buttonClass('secondary', 'sm')}
          >
            Open in Playground
          </Link>
        }
      >
        <StepList steps={data.steps} />
      </Card>
      <Snippet
        label="Explain on the command line"
        codes={[
          {
            language: 'shell',
            text: `npx --no-install carabiner explain ${quote(data.registered_user?.origin_user_id ?? user)} ${quote(data.tool)}`,
          },
        ]}
      />
    </div>
  )
}

export default ExplainPage
