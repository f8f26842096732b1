import { type AuthenticateMeta, findAuthenticateMeta, type RegisteredUser } from '@carabiner/sdk'
import { useMutation } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { type FormEvent, useMemo, useState } from 'react'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Snippet } from '../../ui/data/snippet.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { ToolBadges } from '../tool-badges.tsx'
import { CallResult } from './call-result.tsx'
import { callSnippets } from './call-snippets.ts'
import { ConnectNow } from './connect-now.tsx'
import { fieldsOf, type Problem, readInputs } from './input-fields.ts'
import { InputForm } from './input-form.tsx'
import type { ListedTool } from './list-tools.ts'
import type { McpCaller } from './mcp-caller.ts'

type Props = {
  tool: ListedTool
  caller: McpCaller
  user: RegisteredUser
  packId: string
  onListChanged: () => void
}

/** One tool: its form, its result, and the same call as code. */
export const ToolRunner = ({ tool, caller, user, packId, onListChanged }: Props) => {
  const fields = useMemo(() => fieldsOf(tool.inputSchema), [tool])
  const [texts, setTexts] = useState<Record<string, string>>({})
  const [problems, setProblems] = useState<Problem[]>([])
  const run = useMutation({
    mutationFn: (args: Record<string, unknown>) =>
      caller.call('tools/call', { name: tool.name, arguments: args }),
  })
  const { args } = readInputs(fields, texts)
  const submit = (event?: FormEvent): void => {
    event?.preventDefault()
    const read = readInputs(fields, texts)
    setProblems(read.problems)
    if (read.problems.length === 0 && !run.isPending) run.mutate(read.args)
  }
  const meta: AuthenticateMeta | null = run.data
    ? (findAuthenticateMeta(run.data.response.result ?? {}) ?? null)
    : null
  return (
    <div className="grid min-w-0 gap-4">
      <Card
        title={tool.title ?? tool.name}
        note={tool.description}
        actions={
          <PageLink
            path={`/explain?user=${user.id}&tool=${encodeURIComponent(tool.name)}&pack=${packId}`}
            className={buttonClass('secondary', 'sm')}
          >
            Explain
          </PageLink>
        }
      >
        <form className="grid gap-4" onSubmit={submit} aria-label={`Inputs of ${tool.name}`}>
          <p className="flex flex-wrap items-center gap-2">
            <code className="font-mono text-xs">{tool.name}</code>
            <ToolBadges annotations={tool.annotations} effects={null} />
          </p>
          <InputForm
            fields={fields}
            texts={texts}
            problems={problems}
            onChange={(name, text) => {
              setTexts(previous => ({ ...previous, [name]: text }))
              setProblems(previous => previous.filter(problem => problem.name !== name))
            }}
          />
          {run.error && <ErrorNote error={run.error} />}
          <div>
            <Button
              type="submit"
              kind="primary"
              isBusy={run.isPending}
              icon={<Play className="size-4" aria-hidden="true" />}
            >
              Run tool
            </Button>
          </div>
        </form>
      </Card>
      {meta && (
        <ConnectNow
          key={meta.link_token}
          meta={meta}
          user={user}
          onConnected={() => {
            onListChanged()
            submit()
          }}
        />
      )}
      {run.data && (
        <CallResult key={run.data.frame.milliseconds} {...run.data} isAuthRequest={meta !== null} />
      )}
      <Card title="The same call in code">
        <Snippet
          label="The same call in code"
          codes={callSnippets({ url: caller.url, packId, userId: user.id, tool: tool.name, args })}
        />
      </Card>
    </div>
  )
}
