export type Connection = {
  slug: string
  name: string
  summary: string
  /** The connector's logo, which may be loaded from any page. */
  logo_url: string | null
  authorization: 'oauth2' | 'api_key'
  connected: boolean
  /** The account at the provider, such as an e-mail address, where it is known. */
  account: string | null
}
export type Account = { user: string; link_url: string; connections: Connection[] }

/** The API key never comes here: the page talks to its own backend, and that one talks to Carabiner. */
const ask = async <T>(path: string, init?: RequestInit): Promise<T> => {
  const response = await fetch(path, init)
  if (!response.ok) throw new Error(`${path} answered ${response.status}`)
  return response.json() as Promise<T>
}

export const readAccount = (): Promise<Account> => ask('/api/connections')

/** A token is for one opening of Link, so it is minted by the click and not with the page. */
export const mintToken = async (connector: string): Promise<string> => {
  const { link_token } = await post<{ link_token: string }>('/api/link-token', connector)
  return link_token
}

export const disconnect = (connector: string): Promise<Account> => post('/api/disconnect', connector)

const post = <T>(path: string, connector: string): Promise<T> =>
  ask(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ connector }),
  })
