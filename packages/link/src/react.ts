'use client'
import {
  type ButtonHTMLAttributes,
  createElement,
  type MouseEvent,
  type ReactElement,
  useEffect,
  useRef,
  useState,
} from 'react'
import { startLink } from './create-link.ts'
import type { LinkError } from './link-error.ts'
import type { Link, LinkOptions } from './types.ts'

export type { LinkError } from './link-error.ts'
export type * from './types.ts'

/** Nothing is loaded until `linkToken` is set. */
export type UseLinkOptions = Omit<LinkOptions, 'linkToken'> & { linkToken: string | null | undefined }

export type UseLinkResult = {
  open: () => void
  exit: () => void
  isReady: boolean
  error: LinkError | null
}

const IDLE = { isReady: false, error: null }

/** Callbacks may change on every render; `open` and `exit` are stable. */
export const useLink = (options: UseLinkOptions): UseLinkResult => {
  const { linkToken, linkUrl } = options
  const latest = useRef(options)
  const link = useRef<Link | null>(null)
  const [state, setState] = useState<{ isReady: boolean; error: LinkError | null }>(IDLE)
  const [actions] = useState(() => ({
    open: () => {
      if (link.current) link.current.open()
      else latest.current.onEvent?.('open_ignored', { code: 'not_ready' })
    },
    exit: () => link.current?.exit(),
  }))

  useEffect(() => {
    latest.current = options
  })
  useEffect(() => {
    if (!linkToken) return
    const current = startLink(
      () => latest.current as LinkOptions,
      () => setState({ isReady: current.isReady, error: current.error }),
    )
    link.current = current
    return () => {
      current.destroy()
      link.current = null
      setState(IDLE)
    }
  }, [linkToken, linkUrl])

  return { ...actions, ...state }
}

export type LinkButtonProps = UseLinkOptions &
  Omit<ButtonHTMLAttributes<HTMLButtonElement>, keyof UseLinkOptions | 'type'>

/** An unstyled button that opens Link. It is disabled until Link is ready. */
export const LinkButton = (props: LinkButtonProps): ReactElement => {
  // oxlint-disable-next-line no-unused-vars -- excluded from the props of the button
  const { linkToken, linkUrl, onSuccess, onExit, onEvent, onLoad, mode, lang, theme, nonce, ...button } =
    props
  const { open, isReady } = useLink(props)
  return createElement('button', {
    ...button,
    type: 'button',
    disabled: !isReady || button.disabled,
    onClick: (event: MouseEvent<HTMLButtonElement>) => {
      button.onClick?.(event)
      if (!event.defaultPrevented) open()
    },
  })
}
