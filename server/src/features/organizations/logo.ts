import { hash } from 'node:crypto'
import type sharpModule from 'sharp'
import { Refusal } from '../../core/refusal.ts'

/** What is kept: an image that was made here, out of nothing but the pixels of the one that came. */
export type Logo = { hash: Buffer; png: Buffer; width: number; height: number }

export const LOGO_TYPES = ['image/png', 'image/jpeg', 'image/webp']
export const LOGO_UPLOAD_LIMIT = 512 * 1024

const SHORTEST_SIDE = 16
const LONGEST_SIDE = 2048
const LARGEST_PNG = 200 * 1024
/** Twice the room that the pages have for it. */
const ROOM = { width: 512, height: 160 }
const TIME_LIMIT_SECONDS = 5

/** The first bytes of each format that is read. What begins otherwise never reaches a decoder. */
const SIGNATURES: Record<string, RegExp> = {
  png: /^89504e470d0a1a0a/,
  jpeg: /^ffd8ff/,
  webp: /^52494646.{8}57454250/,
}

export const readLogo = async (upload: Uint8Array): Promise<Logo> => {
  if (upload.length === 0) throw invalid('The body is empty: send the image itself.')
  const format = formatOf(upload)
  if (!format) throw new Refusal('unsupported_logo')
  const sharp = await loadSharp()
  await checkHeader(sharp, upload, format)
  const { data, info } = await readable(() => decode(sharp, upload))
  const { width, height, channels } = info
  const png = await encode(sharp, data, { width, height, channels })
  return { hash: hash('sha256', png, 'buffer').subarray(0, 16), png, width, height }
}

const formatOf = (upload: Uint8Array): string | undefined => {
  const start = Buffer.from(upload.subarray(0, 12)).toString('hex')
  return Object.keys(SIGNATURES).find(format => SIGNATURES[format]?.test(start))
}

type Sharp = typeof sharpModule
type Raw = { width: number; height: number; channels: 1 | 2 | 3 | 4 }

let loaded: Promise<Sharp> | undefined

/** A large native library that few requests need: loaded by the first, and left only the three readers it is to have. */
const loadSharp = (): Promise<Sharp> => {
  loaded ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false)
    sharp.concurrency(1)
    sharp.block({ operation: ['VipsForeignLoad'] })
    sharp.unblock({ operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp'] })
    return sharp
  })
  return loaded
}

/** Nothing is decoded yet, so a file may claim whatever size it likes. */
const checkHeader = async (sharp: Sharp, upload: Uint8Array, format: string): Promise<void> => {
  const header = await readable(() => sharp(upload, { limitInputPixels: false, pages: 1 }).metadata())
  if (header.format !== format) throw new Refusal('unsupported_logo')
  const sides = [header.width, header.pageHeight ?? header.height]
  if (sides.some(side => side < SHORTEST_SIDE || side > LONGEST_SIDE)) {
    throw invalid(
      `The image is ${sides.join(' × ')} px; each side is to be ${SHORTEST_SIDE} to ${LONGEST_SIDE} px.`,
    )
  }
}

/** Pixels as they are seen: turned upright, in sRGB, and the first frame of any. Metadata ends here. */
const decode = (sharp: Sharp, upload: Uint8Array) =>
  sharp(upload, {
    limitInputPixels: LONGEST_SIDE * LONGEST_SIDE,
    failOn: 'error',
    sequentialRead: true,
    pages: 1,
  })
    .autoOrient()
    .toColourspace('srgb')
    .resize({ ...ROOM, fit: 'inside', withoutEnlargement: true })
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .timeout({ seconds: TIME_LIMIT_SECONDS })
    .toBuffer({ resolveWithObject: true })

/** With a palette where that is smaller and shows the same, or where nothing else fits. */
const encode = async (sharp: Sharp, pixels: Buffer, raw: Raw): Promise<Buffer> => {
  const encodeAs = (palette: boolean) =>
    sharp(pixels, { raw }).png({ compressionLevel: 9, palette }).toBuffer()
  const whole = await encodeAs(false)
  const indexed = await encodeAs(true)
  const isSame = (await sharp(indexed).ensureAlpha().raw().toBuffer()).equals(pixels)
  const png = indexed.length < whole.length && (isSame || whole.length > LARGEST_PNG) ? indexed : whole
  if (png.length > LARGEST_PNG)
    throw invalid('The image is too detailed: made into a logo, it is larger than 200 kB.')
  return png
}

const readable = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (cause) {
    throw invalid('The image cannot be read: it is damaged, cut off, or not what it claims to be.', cause)
  }
}

const invalid = (message: string, cause?: unknown): Refusal => new Refusal('invalid_logo', { message, cause })
