import type { LinkCustomization, LinkCustomizationPatch, LinkLogo, LinkPreview } from './api-types.ts'
import { path } from './path.ts'
import type { ApiRequest, CallOptions, Send } from './send.ts'

export type LogoTheme = 'light' | 'dark'
export type LogoImage = NonNullable<ApiRequest['bytes']>

/** With the production key: how Link's pages look and speak. */
export const linkCustomization = (send: Send) => ({
  get: (options?: CallOptions) => send<LinkCustomization>('GET', '/link-customization', options),
  update: (body: LinkCustomizationPatch, options?: CallOptions) =>
    send<LinkCustomization>('PATCH', '/link-customization', options, { body }),
  /** A link to look at the pages with; `changes` are shown, and not kept. */
  preview: (changes: LinkCustomizationPatch = {}, options?: CallOptions) =>
    send<LinkPreview>('POST', '/link-customization/preview', options, { body: changes, once: true }),
  /** A PNG, JPEG or WebP image: `{ type: 'image/png', data }`. */
  putLogo: (theme: LogoTheme, image: LogoImage, options?: CallOptions) =>
    send<LinkLogo>('PUT', path`/link-customization/logo/${theme}`, options, { bytes: image }),
  removeLogo: (theme: LogoTheme, options?: CallOptions) =>
    send<void>('DELETE', path`/link-customization/logo/${theme}`, options),
})
