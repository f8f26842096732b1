import type { LinkCustomization, LinkCustomizationPatch, LinkLogo, LinkPreview } from './api-types.ts'
import { path } from './path.ts'
import type { ApiRequest, CallOptions, Send } from './send.ts'

export type LogoTheme = 'light' | 'dark'
export type LogoImage = NonNullable<ApiRequest['bytes']>

/** Appearance and texts of the Link pages. Requires the production key. */
export const linkCustomization = (send: Send) => ({
  get: (options?: CallOptions) => send<LinkCustomization>('GET', '/link-customization', options),
  update: (body: LinkCustomizationPatch, options?: CallOptions) =>
    send<LinkCustomization>('PATCH', '/link-customization', options, { body }),
  /** Creates a URL that previews the pages with `changes`, which are not saved. */
  preview: (changes: LinkCustomizationPatch = {}, options?: CallOptions) =>
    send<LinkPreview>('POST', '/link-customization/preview', options, { body: changes, once: true }),
  /** A PNG, JPEG or WebP image: `{ type: 'image/png', data }`. */
  putLogo: (theme: LogoTheme, image: LogoImage, options?: CallOptions) =>
    send<LinkLogo>('PUT', path`/link-customization/logo/${theme}`, options, { bytes: image }),
  removeLogo: (theme: LogoTheme, options?: CallOptions) =>
    send<void>('DELETE', path`/link-customization/logo/${theme}`, options),
})
