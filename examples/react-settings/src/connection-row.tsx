import type { CSSProperties, ReactElement } from 'react'
import type { Connection } from './backend.ts'

export const ConnectionRow = ({
  connection: { name, summary, logo_url, tile, connected, account },
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
      <i className="tile" style={{ '--hue': tile.hue } as CSSProperties} aria-hidden="true">
        {tile.letters}
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
