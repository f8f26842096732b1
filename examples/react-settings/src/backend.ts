export type Connection = {
  slug: string
  name: string
  summary: string
  /** The connector's logo, which may be loaded from any page. */
  logo_url: string | null
  /** Shown if there is no logo. */
  tile: { letters: string; hue: number }
  authorization: 'oauth2' | 'api_key' | 'token_request' | 'aws_signature' | 'signature' | 'oauth1'
  connected: boolean
  /** The account at the provider, such as an email address, or null if it is unknown. */
  account: string | null
}
export type Account = { user: string; link_url: string; connections: Connection[] }

/** The page calls its own backend, and only the backend calls Carabiner, so the API key never reaches the browser. */
const fetchJson = async <T>(path: string, init?: RequestInit): Promise<T> => {
  const response = await fetch(path, init)
  if (!response.ok) throw new Error(`${path} returned ${response.status}`)
  return response.json() as Promise<T>
}

export const readAccount = (): Promise<Account> => fetchJson('/api/connections')

/** Tokens are short-lived and can be used once, so one is created per click and not with the page. */
export const mintToken = async (connector: string): Promise<string> => {
  const { link_token } = await post<{ link_token: string }>('/api/link-token', connector)
  return link_token
}

export const disconnect = (connector: string): Promise<Account> => post('/api/disconnect', connector)

const post = <T>(path: string, connector: string): Promise<T> =>
  fetchJson(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ connector }),
  })
