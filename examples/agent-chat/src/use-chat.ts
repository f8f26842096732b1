import { type Approval, createApproval, LinkError, onAuthenticateMeta } from '@carabiner/link'
import { isExpired } from '@carabiner/sdk'
import { useEffect, useReducer, useRef } from 'react'
import { type Setup, streamChat } from './backend.ts'
import { type Call, conversationOf, conversationReducer, type Turn } from './conversation.ts'

export type Chat = {
  turns: Turn[]
  send: (prompt: string) => void
  stop: () => void
  /** Sends the same prompt again, which creates a new link if one is needed. */
  retry: (turn: Turn) => void
  /** Opens Link again for a turn in which it was closed. */
  connect: (turn: Turn) => void
  /** Shows the approval page for a call that waits for a person. */
  review: (turn: Turn) => void
  /** Makes the call again, about which a person has decided. */
  goOn: (turn: Turn) => void
}

const OFFLINE = 'The assistant cannot be reached. Check your network and try again.'
/** Messages for the user by error code of Link. Null if it is not a problem. */
const PROBLEMS: Record<string, string | null> = {
  exited: null,
  unauthorized_origin:
    'This page is not allowed to connect accounts yet. Its address has to be listed first.',
  network_error: 'The connection service cannot be reached. Check your network and try again.',
  link_token_expired: 'That took longer than 30 minutes. Try again with a new link.',
  link_token_used: 'This link was already used. Try again with a new one.',
}
const problemFor = ({ code }: LinkError): string | null => {
  const problem = PROBLEMS[code]
  return problem === undefined ? 'The account could not be connected.' : problem
}

export const useChat = (user: string, setup: Setup | null): Chat => {
  const [turns, dispatch] = useReducer(conversationReducer, [])
  const running = useRef<AbortController | null>(null)
  const latest = useRef(0)

  const approval = useRef<Approval | null>(null)
  useEffect(() => () => approval.current?.destroy(), [])

  /** Reads the answer. If it requires a connection, Link opens, and the prompt is sent again after success. */
  const run = async (
    id: number,
    prompt: string,
    previous: Turn[],
    { connected, decided }: { connected?: string; decided?: Call } = {},
  ): Promise<void> => {
    const stop = new AbortController()
    running.current = stop
    const messages = conversationOf(previous, prompt)
    const events = streamChat({ user, messages, just_connected: connected, decided }, stop.signal)
    try {
      await link(id, prompt, previous, dispatchEvents(id, events))
    } catch {
      const state = stop.signal.aborted
        ? ({ is: 'stopped' } as const)
        : ({ is: 'failed', message: OFFLINE } as const)
      dispatch({ type: 'ended', id, state })
    }
  }

  async function* dispatchEvents(id: number, events: ReturnType<typeof streamChat>) {
    let isEnded = false
    for await (const event of events) {
      isEnded ||= event.type === 'done' || event.type === 'error'
      dispatch({ type: 'streamed', id, event })
      yield event
    }
    // The stream ended early.
    if (!isEnded) throw new Error('the answer is incomplete')
  }

  const link = async (id: number, prompt: string, previous: Turn[], source: unknown): Promise<void> => {
    try {
      const done = await onAuthenticateMeta(source, { linkUrl: setup?.link_url })
      if (!done) return
      dispatch({ type: 'retried', id, connected: appOf(id) })
      await run(id, prompt, previous, { connected: done.Connector })
    } catch (error) {
      if (!(error instanceof LinkError)) throw error
      if (error.code !== 'exited') console.warn(error)
      dispatch({ type: 'closed', id, problem: problemFor(error) })
    }
  }

  /** The current turns, because `run` outlives the render that created it. */
  const currentTurns = useRef(turns)
  currentTurns.current = turns
  const appOf = (id: number): string => {
    const state = currentTurns.current.find(turn => turn.id === id)?.state
    return state && 'app' in state ? state.app : 'The account'
  }
  const turnsBefore = (id: number): Turn[] => currentTurns.current.filter(turn => turn.id < id)

  const goOn = ({ id, prompt, state }: Turn): void => {
    if (state.is !== 'approving') return
    approval.current?.destroy()
    dispatch({ type: 'retried', id, connected: null })
    // The call of the conversation, not what the model would write now: an approval is for exactly one call.
    void run(id, prompt, turnsBefore(id), { decided: state.call })
  }

  return {
    turns,
    send: prompt => {
      const id = ++latest.current
      dispatch({ type: 'sent', id, prompt })
      void run(id, prompt, turns)
    },
    stop: () => running.current?.abort(),
    retry: ({ id, prompt }) => {
      dispatch({ type: 'retried', id, connected: null })
      void run(id, prompt, turnsBefore(id))
    },
    connect: turn => {
      const { id, prompt, state } = turn
      if (!('meta' in state)) return
      if (isExpired(state.meta) || (state.is === 'unconnected' && state.problem)) {
        dispatch({ type: 'retried', id, connected: null })
        return void run(id, prompt, turnsBefore(id))
      }
      dispatch({ type: 'reopened', id })
      void link(id, prompt, turnsBefore(id), state.meta)
    },
    review: turn => {
      const { id, state } = turn
      if (state.is !== 'approving') return
      const { approval_id: approvalId, approval_url: approvalUrl = '' } = state.approval
      approval.current?.destroy()
      approval.current = createApproval({
        approvalId,
        url: setup?.confirms_approvals
          ? `/api/approvals/${approvalId}?${new URLSearchParams({ user })}`
          : approvalUrl,
        onDecided: () => goOn(turn),
      })
      if (!approval.current.open())
        dispatch({
          type: 'blocked',
          id,
          problem: 'The browser blocked the window. Allow it, then try again.',
        })
    },
    goOn,
  }
}
