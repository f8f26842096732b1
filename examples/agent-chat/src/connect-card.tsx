import type { ReactElement } from 'react'
import type { TurnState } from './conversation.ts'
import { Warning } from './icons.tsx'

type ConnectState = Extract<TurnState, { meta: unknown }>

/** Stays in the conversation, so that a user who closed Link can open it again. */
export const ConnectCard = ({
  state,
  onConnect,
}: {
  state: ConnectState
  onConnect: () => void
}): ReactElement => {
  const { app, meta } = state
  const isOpen = state.is === 'connecting'
  return (
    <section className="connect" aria-label={`Connect ${app}`}>
      <i className="tile" aria-hidden="true">
        {app.slice(0, 1)}
      </i>
      <div>
        <h2>{REASONS[meta.reason ?? '']?.(app) ?? `Connect ${app} to go on`}</h2>
        <p>
          You’ll sign in on {app}’s own site. Orbit and its model never see your password, and you can
          disconnect at any time.
        </p>
      </div>
      {state.is === 'unconnected' && (
        <p className="note" data-kind={state.problem ? 'bad' : 'plain'}>
          {state.problem && <Warning />}
          {state.problem ?? 'Nothing was connected or shared.'}
        </p>
      )}
      {/* Never disabled: a disabled button cannot receive the focus that Link restores when it closes. */}
      <button type="button" className="primary" aria-busy={isOpen} onClick={isOpen ? undefined : onConnect}>
        {isOpen ? 'Opening…' : `Connect ${app}`}
      </button>
    </section>
  )
}

const REASONS: Record<string, (app: string) => string> = {
  expired: app => `Sign in to ${app} again to go on`,
  revoked: app => `Connect ${app} again to go on`,
  insufficient_scope: app => `Allow more in ${app} to go on`,
}
