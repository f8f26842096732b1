import { CarabinerError, type Client, type LinkCustomization } from '@carabiner/sdk'
import { THEMES, type Theme } from './preview-options.ts'

/** Each logo as the address of its image: a path if it is saved, a `data:` URL if it was chosen since. */
export type Logos = Record<Theme, string | null>

export const logosOf = ({ logo }: LinkCustomization): Logos => ({
  light: pathOf(logo.light),
  dark: pathOf(logo.dark),
})

/** Images are loaded from the dashboard's own origin, which may differ from the public one. */
const pathOf = (logo: { url: string } | null): string | null => logo && new URL(logo.url).pathname

/** The `data:` URL of a file. */
export const readImage = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(reader.result as string))
    reader.addEventListener('error', () => reject(reader.error as DOMException))
    reader.readAsDataURL(file)
  })

/** Uploads and removes logos, one after the other. */
export const saveLogos = async (api: Client, changes: Partial<Logos>): Promise<void> => {
  for (const theme of THEMES) {
    const image = changes[theme]
    if (image === null) await api.linkCustomization.removeLogo(theme).catch(ignoreMissing)
    else if (image !== undefined) await api.linkCustomization.putLogo(theme, bytesOf(image))
  }
}

/** The logo may have been removed by an earlier attempt. */
const ignoreMissing = (error: unknown): void => {
  if (!(error instanceof CarabinerError && error.code === 'logo_not_found')) throw error
}

const bytesOf = (dataUrl: string): { type: string; data: Uint8Array<ArrayBuffer> } => {
  const [, type = '', base64 = ''] = /^data:([^;,]*);base64,(.*)$/s.exec(dataUrl) ?? []
  return { type, data: Uint8Array.from(atob(base64), character => character.charCodeAt(0)) }
}
