import { useLink } from '@carabiner/link/react'
import { type ReactElement, useCallback, useEffect, useState } from 'react'
import { type Account, type Connection, disconnect, mintToken, readAccount } from './backend.ts'
import { ConnectionRow } from './connection-row.tsx'

type Notice = { kind: 'good' | 'bad'; text: string }

/** Messages for the user by error code. Other details are logged to the console for the developer. */
const PROBLEMS: Record<string, string> = {
  unauthorized_origin:
    'This page is not allowed to connect accounts yet. Ask its operator to add its address to the allowed origins.',
  network_error: 'The connection service cannot be reached. Check your network and try again.',
  link_token_expired: 'That took longer than 30 minutes. Nothing was connected; try again.',
  link_token_used: 'This link was already used. Try again.',
}
const problemFor = (code: string) =>
  PROBLEMS[code] ?? 'The account could not be connected. Nothing was shared.'

export const Settings = (): ReactElement => {
  const [account, setAccount] = useState<Account | null>(null)
  const [notice, setNotice] = useState<Notice | null>(null)
  const [pending, setPending] = useState<{ slug: string; token?: string } | null>(null)

  const fail = useCallback((text: string) => setNotice({ kind: 'bad', text }), [])
  const refresh = useCallback(
    () =>
      readAccount().then(setAccount, () =>
        fail('Your accounts could not be loaded. Reload the page to try again.'),
      ),
    [fail],
  )
  useEffect(() => void refresh(), [refresh])

  const { open } = useLink({
    linkToken: pending?.token,
    linkUrl: account?.link_url,
    // The user has already clicked Connect, so Link opens as soon as it is ready.
    onLoad: () => open(),
    onSuccess: ({ Connector }) => {
      const name = account?.connections.find(({ slug }) => slug === Connector)?.name ?? Connector
      setNotice({ kind: 'good', text: `${name} is connected.` })
      void refresh()
    },
    onExit: error => error && fail(problemFor(error.code)),
    onEvent: (name, detail) => {
      // Not in onSuccess, because Link's last page is still shown then.
      if (name === 'close') setPending(null)
      if (name === 'error') {
        console.warn(detail)
        setPending(null)
        fail(problemFor(detail.code))
      }
    },
  })

  const connect = async ({ slug }: Connection) => {
    // A second click while the token is being created is ignored. A click after that starts again with a new token.
    if (pending && !pending.token) return
    setNotice(null)
    setPending({ slug })
    try {
      setPending({ slug, token: await mintToken(slug) })
    } catch {
      setPending(null)
      fail('The account could not be connected just now. Try again.')
    }
  }

  const remove = async ({ slug, name }: Connection) => {
    setNotice(null)
    try {
      setAccount(await disconnect(slug))
      setNotice({ kind: 'good', text: `${name} is disconnected.` })
    } catch {
      fail(`${name} could not be disconnected just now. Try again.`)
    }
  }

  return (
    <main>
      <header>
        <p className="product">Orbit</p>
        <h1>Connected accounts</h1>
        <p className="lead">
          Orbit’s assistant works with the accounts you choose. You sign in on each app’s own site; Orbit
          never sees a password or a key.
        </p>
      </header>
      <p className="notice" role="status" data-kind={notice?.kind}>
        {notice?.text}
      </p>
      {account ? (
        <Connections
          account={account}
          busy={pending?.slug}
          onConnect={connection => void connect(connection)}
          onDisconnect={connection => void remove(connection)}
        />
      ) : (
        <Loading />
      )}
      {account && <footer>Signed in as {account.user}</footer>}
    </main>
  )
}

const Connections = ({
  account,
  busy,
  onConnect,
  onDisconnect,
}: {
  account: Account
  busy: string | undefined
  onConnect: (connection: Connection) => void
  onDisconnect: (connection: Connection) => void
}): ReactElement =>
  account.connections.length === 0 ? (
    <p className="empty">There is nothing to connect yet. Connectors appear here once they are set up.</p>
  ) : (
    <ul className="connections">
      {account.connections.map(connection => (
        <ConnectionRow
          key={connection.slug}
          connection={connection}
          isBusy={busy === connection.slug}
          onConnect={() => onConnect(connection)}
          onDisconnect={() => onDisconnect(connection)}
        />
      ))}
    </ul>
  )

const Loading = (): ReactElement => (
  <div aria-busy="true">
    <ul className="connections" aria-hidden="true">
      {[1, 2, 3].map(row => (
        <li key={row} className="ghost">
          <i className="tile" />
          <span />
        </li>
      ))}
    </ul>
    <p className="slow">Still loading…</p>
  </div>
)
