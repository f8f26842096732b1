import { useMemo, useState } from 'react'

const fold = text => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** The same list, search, categories and marks as Link's own page, with the same class names. */
export function Picker({ session: { organization, user, connectors } }) {
  const [query, setQuery] = useState('')
  const [category, setCategory] = useState(null)
  const categories = useMemo(
    () => [null, ...new Set(connectors.map(connector => connector.category))],
    [connectors],
  )
  const shown = useMemo(
    () =>
      connectors.filter(
        connector =>
          (category === null || connector.category === category) &&
          fold(`${connector.name} ${connector.summary}`).includes(fold(query.trim())),
      ),
    [connectors, query, category],
  )
  return (
    <>
      <div className="start">
        <h1>What would you like to connect?</h1>
        <p className="lead">
          <bdi>{organization}</bdi>’s assistant works only with the accounts you choose.
        </p>
        <p className="whom">
          <span className="avatar" aria-hidden="true">
            {user[0]}
          </span>
          <span>
            For <bdi>{user}</bdi>
          </span>
        </p>
      </div>
      <form className="search" role="search" onSubmit={event => event.preventDefault()}>
        <input
          type="search"
          value={query}
          onChange={event => setQuery(event.target.value)}
          placeholder={`Search ${connectors.length} apps`}
          aria-label={`Search ${connectors.length} apps`}
        />
      </form>
      <div className="chips">
        {categories.map(each => (
          <a
            key={each}
            href={`?category=${each ?? ''}`}
            aria-current={each === category ? 'true' : undefined}
            onClick={event => {
              event.preventDefault()
              setCategory(each)
            }}
          >
            {each ?? 'All'}
          </a>
        ))}
      </div>
      <ul className="rows" aria-label="Apps">
        {shown.map(connector => (
          <Row key={connector.slug} connector={connector} />
        ))}
      </ul>
      {shown.length === 0 && <p className="none">No app has that name.</p>}
    </>
  )
}

function Row({ connector: { slug, name, summary, method, connected, tint } }) {
  return (
    <li>
      <a href={`?connector=${slug}`}>
        <i aria-hidden="true" className={tint}>
          {name[0]}
        </i>
        <bdi>{name}</bdi>
        <small>{method === 'api_key' ? `${summary} · Needs an API key` : summary}</small>
        {connected && <em>Connected</em>}
      </a>
    </li>
  )
}
