import type { LinkLogo } from './api-types.ts'
import { path } from './path.ts'
import type { ApiRequest, CallOptions, Send } from './send.ts'

export type LogoTheme = 'light' | 'dark'
export type LogoImage = NonNullable<ApiRequest['bytes']>

/** Uploads the logo of a theme: a PNG, JPEG or WebP image, as `{ type: 'image/png', data }`. */
export const putLogo = (send: Send) => (theme: LogoTheme, image: LogoImage, options?: CallOptions) =>
  send<LinkLogo>('PUT', path`/link-customization/logo/${theme}`, options, { bytes: image })
