import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { isRefusal } from '../../core/refusal.ts'
import { readLogo } from './logo.ts'

const square = (side = 64) =>
  sharp({
    create: { width: side, height: side, channels: 4, background: { r: 200, g: 40, b: 90, alpha: 1 } },
  })

/** Random pixels, which cannot be compressed. */
const noise = (width: number, height: number) => {
  let seed = 7
  const bytes = Buffer.alloc(width * height * 3)
  for (let index = 0; index < bytes.length; index += 1) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    bytes[index] = seed >> 16
  }
  return sharp(bytes, { raw: { width, height, channels: 3 } })
}

const chunk = (type: string, data: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
const PNG_START = Buffer.from('89504e470d0a1a0a', 'hex')

/** A few bytes that declare an image of this size. */
const claim = (width: number, height: number): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    PNG_START,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(1000))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
const withChunks = (png: Buffer, ...chunks: Buffer[]): Buffer =>
  Buffer.concat([png.subarray(0, 33), ...chunks, png.subarray(33)])

const chunkNames = (png: Buffer): string[] => {
  const names: string[] = []
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12)
    names.push(png.toString('latin1', at + 4, at + 8))
  return names
}

const refuses = async (upload: Uint8Array, code: 'invalid_logo' | 'unsupported_logo', message: RegExp) =>
  assert.rejects(
    () => readLogo(upload),
    error => {
      assert.ok(isRefusal(error, code), String(error))
      assert.match(error.message, message)
      return true
    },
  )

const assertNoMetadata = async (png: Buffer): Promise<void> => {
  for (const name of chunkNames(png)) assert.match(name, /^(IHDR|PLTE|tRNS|IDAT|IEND|pHYs)$/)
  const { format, exif, icc, xmp, iptc, comments } = await sharp(png).metadata()
  assert.deepEqual(
    [format, exif, icc, xmp, iptc, comments],
    ['png', undefined, undefined, undefined, undefined, undefined],
  )
}

describe('a logo', () => {
  it('is stored as a content-addressed PNG, whatever its original format', async () => {
    for (const format of ['png', 'jpeg', 'webp'] as const) {
      const logo = await readLogo(await square().toFormat(format).toBuffer())
      assert.deepEqual([logo.width, logo.height, logo.hash.length], [64, 64, 16], format)
      await assertNoMetadata(logo.png)
    }
    const png = await square().png().toBuffer()
    assert.deepEqual((await readLogo(png)).hash, (await readLogo(png)).hash)
  })

  it('fits the maximum size, keeps its proportions and is never enlarged', async () => {
    const sizes: [given: [number, number], made: [number, number]][] = [
      [
        [2048, 512],
        [512, 128],
      ],
      [
        [400, 800],
        [80, 160],
      ],
      [
        [16, 16],
        [16, 16],
      ],
      [
        [512, 160],
        [512, 160],
      ],
    ]
    for (const [[width, height], made] of sizes) {
      const upload = await sharp({ create: { width, height, channels: 3, background: '#123456' } })
        .png()
        .toBuffer()
      const logo = await readLogo(upload)
      assert.deepEqual([logo.width, logo.height], made)
    }
  })

  it('is rejected with sides below 16 or above 2048 px before it is decoded', async () => {
    await refuses(await square(1).png().toBuffer(), 'invalid_logo', /1 × 1 px/)
    await refuses(await square(15).webp().toBuffer(), 'invalid_logo', /15 × 15 px/)
    await refuses(claim(60_000, 60_000), 'invalid_logo', /60000 × 60000 px|cannot be decoded/)
    await refuses(claim(2049, 100), 'invalid_logo', /2049 × 100 px/)
    await refuses(claim(0, 0), 'invalid_logo', /./)
  })

  it('is rejected if it is truncated or damaged', async () => {
    for (const format of ['png', 'jpeg', 'webp'] as const) {
      const whole = await noise(200, 100).toFormat(format).toBuffer()
      for (const share of [0.1, 0.5, 0.9])
        await refuses(
          whole.subarray(0, Math.floor(whole.length * share)),
          'invalid_logo',
          /cannot be decoded/,
        )
    }
    await refuses(claim(100, 100), 'invalid_logo', /cannot be decoded/)
    const png = await noise(100, 100).png().toBuffer()
    png.fill(0, 60, 400)
    await refuses(png, 'invalid_logo', /cannot be decoded/)
    await refuses(Buffer.alloc(0), 'invalid_logo', /empty/)
    await refuses(PNG_START, 'invalid_logo', /cannot be decoded/)
  })

  it('is rejected in every other format by its signature', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><script>alert(1)</script></svg>'
    const others = [
      Buffer.from(svg),
      Buffer.from(`<?xml version="1.0"?>${svg}`),
      Buffer.from('<html><script>alert(1)</script></html>'),
      await square().gif().toBuffer(),
      await square().tiff().toBuffer(),
      Buffer.from('BM'.padEnd(64, '\0')),
      Buffer.from('%PDF-1.7'),
      Buffer.from('RIFF\x00\x00\x00\x00AVI LIST'),
      Buffer.alloc(1000),
    ]
    for (const other of others) await refuses(other, 'unsupported_logo', /PNG at twice the display size/)
  })

  it('contains no metadata such as location or comments', async () => {
    const jpeg = await square()
      .jpeg()
      .withExif({
        IFD0: { Copyright: 'canary-copyright', ImageDescription: '<script>canary</script>' },
        IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 0/1' },
      })
      .withIccProfile('p3')
      .toBuffer()
    assert.ok((await sharp(jpeg).metadata()).exif)
    const texts = Array.from({ length: 15 }, (_, index) =>
      chunk('tEXt', Buffer.from(`Key${index}\0canary ${index}`)),
    )
    const zipped = chunk(
      'zTXt',
      Buffer.concat([Buffer.from('Zipped\0\0'), deflateSync(Buffer.alloc(100_000, 'canary'))]),
    )
    const withMetadata = withChunks(await square().png().toBuffer(), ...texts, zipped)
    for (const upload of [jpeg, withMetadata]) {
      const logo = await readLogo(upload)
      await assertNoMetadata(logo.png)
      assert.ok(!logo.png.includes('canary'))
    }
  })

  it('does not contain data appended to the image', async () => {
    const html = '<html><script>alert("canary")</script></html>'
    for (const format of ['png', 'jpeg', 'webp'] as const) {
      const image = await square().toFormat(format).toBuffer()
      const logo = await readLogo(Buffer.concat([image, Buffer.from(html)]))
      assert.ok(!logo.png.includes('canary'))
      assert.equal(logo.png.subarray(-8, -4).toString(), 'IEND')
    }
  })

  it('is the first frame of an animation', async () => {
    const frames = Buffer.alloc(32 * 64 * 3)
    frames.fill(255, 0, 32 * 32 * 3)
    const moving = await sharp(frames, { raw: { width: 32, height: 64, channels: 3, pageHeight: 32 } })
      .webp({ loop: 0, delay: [100, 100], lossless: true })
      .toBuffer()
    assert.equal((await sharp(moving).metadata()).pages, 2)
    const logo = await readLogo(moving)
    assert.deepEqual([logo.width, logo.height], [32, 32])
    const pixels = await sharp(logo.png).removeAlpha().raw().toBuffer()
    assert.ok(pixels.every(byte => byte > 250))
    const control = Buffer.alloc(8)
    control.writeUInt32BE(3)
    await assertNoMetadata(
      (await readLogo(withChunks(await square().png().toBuffer(), chunk('acTL', control)))).png,
    )
  })

  it('is in sRGB and upright for any color profile and orientation', async () => {
    const cmyk = await square().flatten().toColourspace('cmyk').jpeg().toBuffer()
    assert.equal((await sharp(cmyk).metadata()).space, 'cmyk')
    const deep = await square().toColourspace('rgb16').png().toBuffer()
    const gray = await square().greyscale().png().toBuffer()
    for (const upload of [cmyk, deep, gray]) {
      const { png } = await readLogo(upload)
      const { space, depth } = await sharp(png).metadata()
      assert.deepEqual([space, depth], ['srgb', 'uchar'])
    }
    const [red = 0, green = 0, blue = 0] = await sharp((await readLogo(cmyk)).png)
      .raw()
      .toBuffer()
    assert.ok(red > 150 && green < 90 && blue < 130, `${red} ${green} ${blue}`)
    const rotated = await sharp({ create: { width: 100, height: 40, channels: 3, background: '#fff' } })
      .jpeg()
      .withMetadata({ orientation: 6 })
      .toBuffer()
    const logo = await readLogo(rotated)
    assert.deepEqual([logo.width, logo.height], [40, 100])
  })

  it('has a palette if that is lossless, or if the image does not fit otherwise', async () => {
    const flat = await readLogo(await square(128).png().toBuffer())
    assert.ok(flat.png.length < 1000)
    const indexed = await readLogo(await square(128).png({ palette: true }).toBuffer())
    assert.deepEqual(indexed.png, flat.png)
    const detailed = await readLogo(await noise(512, 160).png().toBuffer())
    assert.ok(detailed.png.length <= 200 * 1024, `${detailed.png.length}`)
    assert.ok(chunkNames(detailed.png).includes('PLTE'))
    const soft = await sharp({
      create: { width: 64, height: 64, channels: 4, background: { r: 9, g: 9, b: 9, alpha: 0.5 } },
    })
      .png()
      .toBuffer()
    assert.equal(
      (
        await sharp((await readLogo(soft)).png)
          .ensureAlpha()
          .raw()
          .toBuffer()
      )[3],
      128,
    )
  })
})
