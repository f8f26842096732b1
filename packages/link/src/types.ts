import type { LinkError } from './link-error.ts'

export type LinkMode = 'iframe' | 'popup' | 'redirect'
export type LinkTheme = 'light' | 'dark'

export type LinkSuccess = {
  /** Slug of the connected Connector. */
  Connector: string
  /** Scopes that the user granted. */
  scopes: string[]
}

/** Status of the session as reported by the service, which is the only reliable source of the outcome. */
export type LinkState = {
  status: 'open' | 'awaiting_confirmation' | 'completed' | 'expired' | 'ended'
  Connector: string | null
  scopes: string[]
  /** How the latest attempt ended. */
  last: { outcome: string; reason: string | null; Connector: string | null; at?: string } | null
}

/** Arguments of `onEvent`. They contain no secrets, so they can be sent to analytics. */
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
   * Called when an account is connected; `onExit` is not called afterwards. If the token is not restricted to one connector, the
   * user may connect further accounts in the same dialog, and it is called once for each.
   */
  onSuccess?: ((success: LinkSuccess) => void) | undefined
  /** Called when Link closes without a connection; `error` is `null` if the user closed it. */
  onExit?: ((error: LinkError | null) => void) | undefined
  onEvent?: ((...event: LinkEvent) => void) | undefined
  /** Called when the token is loaded. From then on `open()` works. */
  onLoad?: (() => void) | undefined
}

export type LinkAppearance = {
  /** Default: `iframe`. */
  mode?: LinkMode | undefined
  /** Language of the Link pages, such as `de`. Default: the language of the browser. */
  lang?: string | undefined
  /** Default: the system setting. */
  theme?: LinkTheme | undefined
  /** URL of Link. Default: `/link` on the origin of the page. */
  linkUrl?: string | undefined
  /** CSP nonce of the page. Currently unused, because no style or script element is inserted. */
  nonce?: string | undefined
}

export type LinkOptions = LinkCallbacks & LinkAppearance & { linkToken: string }

export type Link = {
  /** Shows Link. Has no effect before `isReady` or while Link is shown. In `popup` mode, call it directly from a click handler. */
  open: () => void
  /** Closes Link as if the user had closed it. */
  exit: () => void
  /** Removes Link and releases its resources. No callback is called afterwards. */
  destroy: () => void
  readonly isReady: boolean
  /** Error that prevented loading, if any. */
  readonly error: LinkError | null
}

/** Result of a tool call for which the user must connect an account first. */
export type AuthenticateMeta = {
  type: 'authenticate_meta'
  Connector: string
  link_token: string
  expires_at?: string
  magic_link_url?: string
  message?: string
  reason?: string
}

/** Result of a tool call that a person must approve first. */
export type ApprovalMeta = {
  type: 'approval_meta'
  approval_id: string
  approval_url?: string
  expires_at?: string
  message?: string
}
