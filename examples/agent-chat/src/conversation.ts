import {
  type ApprovalMeta,
  type AuthenticateMeta,
  findApprovalMeta,
  findAuthenticateMeta,
} from '@carabiner/link'
import type { ChatMessage } from './backend.ts'

/** A tool call as the model made it. */
export type Call = { name: string; arguments: Record<string, unknown> }

/** An event that the backend streams. */
export type ChatEvent =
  | { type: 'text'; text: string }
  | ({ type: 'function_call'; id: string; title: string; app: string } & Call)
  | { type: 'function_call_result'; id: string; result: unknown; is_error: boolean }
  | { type: 'done' }
  | { type: 'error'; message: string }

export type Part =
  | { kind: 'text'; text: string }
  | { kind: 'call'; id: string; title: string; app: string; state: CallState; call: Call }
  | { kind: 'connected'; app: string }

export type CallState = 'running' | 'done' | 'failed' | 'unconnected' | 'unapproved'

export type TurnState =
  | { is: 'streaming' | 'done' | 'stopped' }
  | { is: 'failed'; message: string }
  /** Link is open. */
  | { is: 'connecting'; meta: AuthenticateMeta; app: string }
  /** Link was closed, and nothing is connected. */
  | { is: 'unconnected'; meta: AuthenticateMeta; app: string; problem: string | null }
  /** A person must decide about the call. `problem`: why the approval page could not be shown. */
  | {
      is: 'approving'
      approval: ApprovalMeta
      call: Call
      app: string
      title: string
      problem: string | null
    }

/** A prompt and its answer. */
export type Turn = { id: number; prompt: string; parts: Part[]; state: TurnState }

export type Action =
  | { type: 'sent'; id: number; prompt: string }
  | { type: 'retried'; id: number; connected: string | null }
  | { type: 'streamed'; id: number; event: ChatEvent }
  | { type: 'reopened'; id: number }
  | { type: 'closed'; id: number; problem: string | null }
  | { type: 'blocked'; id: number; problem: string }
  | { type: 'ended'; id: number; state: TurnState }

export const conversationReducer = (turns: Turn[], action: Action): Turn[] =>
  action.type === 'sent'
    ? [...turns, { id: action.id, prompt: action.prompt, parts: [], state: { is: 'streaming' } }]
    : turns.map(turn => (turn.id === action.id ? updateTurn(turn, action) : turn))

const updateTurn = (turn: Turn, action: Exclude<Action, { type: 'sent' }>): Turn => {
  const { state } = turn
  switch (action.type) {
    case 'retried':
      return {
        ...turn,
        parts: action.connected === null ? [] : [{ kind: 'connected', app: action.connected }],
        state: { is: 'streaming' },
      }
    case 'streamed':
      return applyEvent(turn, action.event)
    case 'reopened':
      return 'meta' in state
        ? { ...turn, state: { is: 'connecting', meta: state.meta, app: state.app } }
        : turn
    case 'closed':
      return 'meta' in state
        ? { ...turn, state: { is: 'unconnected', meta: state.meta, app: state.app, problem: action.problem } }
        : turn
    case 'blocked':
      return state.is === 'approving' ? { ...turn, state: { ...state, problem: action.problem } } : turn
    case 'ended':
      return { ...turn, state: action.state, parts: turn.parts.map(settle) }
  }
}

/** A call that was still running when the turn ended has failed. */
const settle = (part: Part): Part =>
  part.kind === 'call' && part.state === 'running' ? { ...part, state: 'failed' } : part

const applyEvent = (turn: Turn, event: ChatEvent): Turn => {
  const { parts } = turn
  const last = parts.at(-1)
  switch (event.type) {
    case 'text':
      return {
        ...turn,
        parts:
          last?.kind === 'text'
            ? [...parts.slice(0, -1), { kind: 'text', text: last.text + event.text }]
            : [...parts, { kind: 'text', text: event.text }],
      }
    case 'function_call': {
      const { id, title, app, name } = event
      const call = { name, arguments: event.arguments }
      return { ...turn, parts: [...parts, { kind: 'call', id, title, app, state: 'running', call }] }
    }
    case 'function_call_result':
      return applyResult(turn, event)
    case 'done':
      // A call may wait for an approval.
      return turn.state.is === 'streaming' ? { ...turn, state: { is: 'done' } } : turn
    case 'error':
      return updateTurn(turn, {
        type: 'ended',
        id: turn.id,
        state: { is: 'failed', message: event.message },
      })
  }
}

const applyResult = (turn: Turn, event: Extract<ChatEvent, { type: 'function_call_result' }>): Turn => {
  const meta = findAuthenticateMeta(event)
  const approval = findApprovalMeta(event)
  const state = meta ? 'unconnected' : approval ? 'unapproved' : event.is_error ? 'failed' : 'done'
  const parts = turn.parts.map(part =>
    part.kind === 'call' && part.id === event.id && part.state === 'running'
      ? { ...part, state: state as CallState }
      : part,
  )
  const called = parts.findLast(part => part.kind === 'call')
  if (!called) return { ...turn, parts }
  const { app, title, call } = called
  // A model may make several calls at once. The first that needs a person counts; the others are made again afterwards.
  if ('meta' in turn.state || 'approval' in turn.state) return { ...turn, parts }
  if (meta) return { ...turn, parts, state: { is: 'connecting', meta, app } }
  if (approval)
    return { ...turn, parts, state: { is: 'approving', approval, call, app, title, problem: null } }
  return { ...turn, parts }
}

export const textOf = ({ parts }: Turn): string =>
  parts
    .map(part => (part.kind === 'text' ? part.text : ''))
    .filter(Boolean)
    .join('\n')

const MAX_TURNS = 20

/** Messages for the model: the latest turns and the prompt. */
export const conversationOf = (turns: Turn[], prompt: string): ChatMessage[] => [
  ...turns.slice(-MAX_TURNS).flatMap((turn): ChatMessage[] => {
    const text = textOf(turn)
    return text === ''
      ? []
      : [
          { role: 'user', text: turn.prompt },
          { role: 'assistant', text },
        ]
  }),
  { role: 'user', text: prompt },
]
