import { encode } from 'uqr'

/** A QR code as rows of modules; true is dark. */
export type QrCode = readonly (readonly boolean[])[]

/** Larger codes are hard to scan from a screen. */
const MAX_BYTES = 520

/** Null: the text is too long. */
export const encodeQr = (text: string): QrCode | null =>
  new TextEncoder().encode(text).length > MAX_BYTES ? null : encode(text, { ecc: 'L', border: 0 }).data
