import { useState } from 'react'
import { Card } from '../../ui/card.tsx'
import { Badge } from '../../ui/data/badge.tsx'
import { JsonView } from '../../ui/data/json-view.tsx'
import { Tabs } from '../../ui/lists/tabs.tsx'
import type { Frame, RpcResponse } from './mcp-caller.ts'

type Props = { response: RpcResponse; frame: Frame; isAuthRequest: boolean }

export const CallResult = ({ response, frame, isAuthRequest }: Props) => {
  const [tab, setTab] = useState<'result' | 'frames'>('result')
  const isError = response.error !== undefined || response.result?.['isError'] === true
  return (
    <Card
      title="Result"
      note={`HTTP ${frame.status} in ${frame.milliseconds.toLocaleString()} ms`}
      actions={
        isAuthRequest ? (
          <Badge tone="info">Needs auth</Badge>
        ) : isError ? (
          <Badge tone="bad">Error</Badge>
        ) : (
          <Badge tone="good">Success</Badge>
        )
      }
    >
      <Tabs
        label="Result"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: 'result', label: 'Content', content: <Content response={response} /> },
          {
            value: 'frames',
            label: 'JSON-RPC',
            content: (
              <div className="grid gap-3">
                <h3 className="text-sm font-semibold">Request</h3>
                <JsonView label="Request" value={frame.request} />
                <h3 className="text-sm font-semibold">Response</h3>
                <JsonView label="Response" value={frame.response} />
              </div>
            ),
          },
        ]}
      />
    </Card>
  )
}

type Block = { type: string; text?: string; mimeType?: string; data?: string }

/** What the model reads. Structured content is shown once, as a tree. */
const Content = ({ response }: { response: RpcResponse }) => {
  if (response.error) return <p className="text-sm text-bad">{response.error.message}</p>
  const blocks = (response.result?.['content'] ?? []) as Block[]
  const structured = response.result?.['structuredContent']
  const texts = blocks.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []))
  const others = blocks.filter(({ type }) => type !== 'text')
  return (
    <div className="grid gap-3">
      {structured !== undefined ? (
        <JsonView label="Structured content" value={structured} />
      ) : (
        texts.map((text, n) => <TextBlock key={n} text={text} />)
      )}
      {others.map((block, n) => (
        <p key={n} className="text-sm text-muted">
          {block.type} {block.mimeType}{' '}
          {block.data && `(${block.data.length.toLocaleString()} characters of base64)`}
        </p>
      ))}
      {texts.length === 0 && others.length === 0 && structured === undefined && (
        <p className="text-sm text-muted">The result is empty.</p>
      )}
    </div>
  )
}

const TextBlock = ({ text }: { text: string }) => {
  const value = parse(text)
  return typeof value === 'object' && value !== null ? (
    <JsonView label="Result" value={value} />
  ) : (
    <pre
      tabIndex={0}
      className="max-h-96 overflow-auto rounded-popup border border-line bg-ground px-3.5 py-3 font-mono text-xs leading-5 whitespace-pre-wrap"
    >
      {text}
    </pre>
  )
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
