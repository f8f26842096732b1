import type { ReactElement } from 'react'
import type { Connection } from './backend.ts'

const TINTS = 6

/** A stable tint for a connector without a logo. */
const tintOf = (slug: string): number =>
  Array.from(slug, letter => letter.charCodeAt(0)).reduce((sum, code) => sum + code) % TINTS

export const ConnectionRow = ({
  connection: { slug, name, summary, logo_url, connected, account },
  isBusy,
  onConnect,
  onDisconnect,
}: {
  connection: Connection
  isBusy: boolean
  onConnect: () => void
  onDisconnect: () => void
}): ReactElement => (
  <li>
    {logo_url ? (
      <img className="tile logo" src={logo_url} alt="" />
    ) : (
      <i className="tile" data-tint={tintOf(slug)} aria-hidden="true">
        {name.slice(0, 1)}
      </i>
    )}
    <div className="what">
      <h2>{name}</h2>
      <p>{connected && account ? account : summary}</p>
    </div>
    {connected && (
      <span className="state">
        <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
          <path
            d="m3.5 8.5 3 3 6-7"
            fill="none"
            stroke="currentColor"
            strokeWidth="2"
            strokeLinecap="round"
          />
        </svg>
        Connected
      </span>
    )}
    {connected && (
      <button type="button" className="quiet" aria-label={`Disconnect ${name}`} onClick={onDisconnect}>
        Disconnect
      </button>
    )}
    {/* Never disabled: a disabled button cannot receive the focus that Link restores when it closes. */}
    <button
      type="button"
      className={connected ? 'quiet' : 'primary'}
      aria-label={`${connected ? 'Reconnect' : 'Connect'} ${name}`}
      aria-busy={isBusy}
      onClick={onConnect}
    >
      {isBusy ? 'Opening…' : connected ? 'Reconnect' : 'Connect'}
    </button>
  </li>
)
