import type { LinkError } from './link-error.ts'

export type LinkMode = 'iframe' | 'popup' | 'redirect'
export type LinkTheme = 'light' | 'dark'

export type LinkSuccess = {
  /** The slug of the Connector that is connected now. */
  Connector: string
  /** The scopes that the person granted. */
  scopes: string[]
}

/** How the session stands, as the service tells it: the only truth about the outcome. */
export type LinkState = {
  status: 'open' | 'awaiting_confirmation' | 'completed' | 'expired' | 'ended'
  Connector: string | null
  scopes: string[]
  /** How the latest attempt ended. */
  last: { outcome: string; reason: string | null; Connector: string | null; at?: string } | null
}

/** What `onEvent` is called with. Nothing in here is secret, so it may go to your analytics. */
export type LinkEvent =
  | [name: 'loaded', detail: null]
  | [name: 'error', detail: LinkError]
  | [name: 'open', detail: { mode: LinkMode }]
  | [name: 'ready', detail: null]
  | [name: 'state', detail: LinkState]
  | [name: 'close', detail: null]
  | [name: 'open_ignored', detail: { code: string }]
  | [name: 'popup_blocked', detail: null]

export type LinkCallbacks = {
  /**
   * The account is connected. After it `onExit` is not called. Where the token was not locked to a connector, the person may connect
   * another account from the same dialog: it is called once for each.
   */
  onSuccess?: ((success: LinkSuccess) => void) | undefined
  /** Link is closed and nothing was connected; `null` where the person simply closed it. */
  onExit?: ((error: LinkError | null) => void) | undefined
  onEvent?: ((...event: LinkEvent) => void) | undefined
  /** The token is loaded: `open()` works from now on. */
  onLoad?: (() => void) | undefined
}

export type LinkAppearance = {
  /** `iframe` unless told otherwise. */
  mode?: LinkMode | undefined
  /** The language of Link's pages, such as `de`; the browser's unless told. */
  lang?: string | undefined
  /** The system's unless told. */
  theme?: LinkTheme | undefined
  /** Where Link is served: `/link` on this page's own origin unless told. */
  linkUrl?: string | undefined
  /** The page's CSP nonce. Nothing needs it today: no style or script element is inserted. */
  nonce?: string | undefined
}

export type LinkOptions = LinkCallbacks & LinkAppearance & { linkToken: string }

export type Link = {
  /** Shows Link. Does nothing before `isReady`, or while it is shown. Call it straight from a click in `popup` mode. */
  open: () => void
  /** Closes Link as if the person had. */
  exit: () => void
  /** Takes everything away; no callback comes after it. */
  destroy: () => void
  readonly isReady: boolean
  /** Why it is not ready, if it failed. */
  readonly error: LinkError | null
}

/** The payload of a tool call that needs a connection first. */
export type AuthenticateMeta = {
  type: 'authenticate_meta'
  Connector: string
  link_token: string
  expires_at?: string
  magic_link_url?: string
  message?: string
  reason?: string
}
