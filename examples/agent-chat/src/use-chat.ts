import { LinkError, onAuthenticateMeta } from '@carabiner/link'
import { isExpired } from '@carabiner/sdk'
import { useReducer, useRef } from 'react'
import { type Setup, streamChat } from './backend.ts'
import { conversationOf, converse, type Turn } from './conversation.ts'

export type Chat = {
  turns: Turn[]
  send: (prompt: string) => void
  stop: () => void
  /** The same prompt once more, with a fresh link where one is needed. */
  retry: (turn: Turn) => void
  /** Link again, for a turn in which it was closed. */
  connect: (turn: Turn) => void
}

const OFFLINE = 'The assistant cannot be reached. Check your network and try again.'
/** What went wrong in Link, in words for the person. Closing it is nothing wrong. */
const WORDS: Record<string, string | null> = {
  exited: null,
  unauthorized_origin:
    'This page is not allowed to connect accounts yet. Its address has to be listed first.',
  network_error: 'The connection service cannot be reached. Check your network and try again.',
  link_token_expired: 'That took longer than 30 minutes. Try again with a fresh link.',
  link_token_used: 'This link was used already. Try again with a fresh one.',
}
const wordsFor = ({ code }: LinkError): string | null => {
  const words = WORDS[code]
  return words === undefined ? 'The account could not be connected.' : words
}

export const useChat = (user: string, setup: Setup | null): Chat => {
  const [turns, dispatch] = useReducer(converse, [])
  const running = useRef<AbortController | null>(null)
  const latest = useRef(0)

  /** Reads the answer up to where it asks for a connection; then Link opens, and after success the prompt is sent again. */
  const run = async (id: number, prompt: string, before: Turn[], connected?: string): Promise<void> => {
    const stop = new AbortController()
    running.current = stop
    const messages = conversationOf(before, prompt)
    const events = streamChat({ user, messages, just_connected: connected }, stop.signal)
    try {
      await link(id, prompt, before, seen(id, events))
    } catch {
      const state = stop.signal.aborted
        ? ({ is: 'stopped' } as const)
        : ({ is: 'failed', message: OFFLINE } as const)
      dispatch({ type: 'ended', id, state })
    }
  }

  async function* seen(id: number, events: ReturnType<typeof streamChat>) {
    let isEnded = false
    for await (const event of events) {
      isEnded ||= event.type === 'done' || event.type === 'error'
      dispatch({ type: 'streamed', id, event })
      yield event
    }
    // The stream broke off in between.
    if (!isEnded) throw new Error('the answer is not whole')
  }

  const link = async (id: number, prompt: string, before: Turn[], source: unknown): Promise<void> => {
    try {
      const done = await onAuthenticateMeta(source, { linkUrl: setup?.link_url })
      if (!done) return
      dispatch({ type: 'retried', id, connected: appOf(id) })
      await run(id, prompt, before, done.Connector)
    } catch (error) {
      if (!(error instanceof LinkError)) throw error
      if (error.code !== 'exited') console.warn(error)
      dispatch({ type: 'closed', id, problem: wordsFor(error) })
    }
  }

  /** What the account is called that a turn waits for; asked later than the render that made `run`. */
  const shown = useRef(turns)
  shown.current = turns
  const appOf = (id: number): string => {
    const state = shown.current.find(turn => turn.id === id)?.state
    return state && 'app' in state ? state.app : 'The account'
  }
  const before = (id: number): Turn[] => turns.filter(turn => turn.id < id)

  return {
    turns,
    send: prompt => {
      const id = ++latest.current
      dispatch({ type: 'asked', id, prompt })
      void run(id, prompt, turns)
    },
    stop: () => running.current?.abort(),
    retry: ({ id, prompt }) => {
      dispatch({ type: 'retried', id, connected: null })
      void run(id, prompt, before(id))
    },
    connect: turn => {
      const { id, prompt, state } = turn
      if (!('meta' in state)) return
      if (isExpired(state.meta) || (state.is === 'unconnected' && state.problem)) {
        dispatch({ type: 'retried', id, connected: null })
        return void run(id, prompt, before(id))
      }
      dispatch({ type: 'reopened', id })
      void link(id, prompt, before(id), state.meta)
    },
  }
}
