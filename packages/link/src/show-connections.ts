import { isFromLink } from './is-from-link.ts'
import { LinkError } from './link-error.ts'
import { request } from './request.ts'
import { showDialog } from './show-dialog.ts'
import type { LinkTheme } from './types.ts'

export type ConnectionsOptions = {
  /** `url` of the response to `POST /registered-users/{id}/connections-link`. It works once: request a new one for each visit. */
  url: string
  /** Language of the page, such as `de`. Default: the language of the browser. */
  lang?: string | undefined
  /** Default: the system setting. */
  theme?: LinkTheme | undefined
  /** Aborting it closes the dialog. */
  signal?: AbortSignal | undefined
}

type FrameResponse = {
  url: string
  status: string
  error?: { code: string; message?: string; request_id?: string }
}

/** Shows the My connections page in a dialog. Resolves when the user closes it, and rejects with a `LinkError` if it cannot be shown. */
export const showConnections = async ({ url, lang, theme, signal }: ConnectionsOptions): Promise<void> => {
  const {
    url: frameUrl,
    status,
    error,
  } = await request(`${url}/frame`, { method: 'POST', signal: signal ?? null })
    .then(response => response.json() as Promise<FrameResponse>)
    .catch(() => {
      throw new LinkError('network_error')
    })
  if (error) throw new LinkError(error.code, error.message, error.request_id)
  if (status !== 'open') throw new LinkError(status === 'expired' ? 'link_token_expired' : status)
  const nonce = crypto.getRandomValues(new Uint32Array(4)).join('')
  const address = `${frameUrl}&${new URLSearchParams({ opener: location.origin, nonce, ...(lang && { lang }), ...(theme && { theme }) })}`
  const { origin } = new URL(frameUrl)
  await new Promise<void>(resolve => {
    const end = new AbortController()
    const shown = signal ? AbortSignal.any([signal, end.signal]) : end.signal
    const close = (): void => end.abort()
    const dialog = showDialog(address, { lang, theme }, close, shown)
    addEventListener(
      'message',
      event => {
        if (!isFromLink(event, { origin, source: dialog.frame.contentWindow, nonce })) return
        if (event.data.type === 'close') close()
        else if (event.data.type === 'ready') dialog.ready()
      },
      { signal: shown },
    )
    shown.addEventListener('abort', () => resolve())
  })
}
